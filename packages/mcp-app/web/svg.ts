const NAMESPACE = 'http://www.w3.org/2000/svg';

/** Attributes of an SVG element. Coordinates may be percentages. */
type Attributes = Readonly<Record<string, string | number>>;

/**
 * Creates an SVG element. Text is always inserted as text and never parsed as markup.
 *
 * @param selector the tag, and classes after it: `circle.best`.
 */
export function svg<Tag extends keyof SVGElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  attributes: Attributes,
  ...children: readonly (Node | string)[]
): SVGElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.') as [Tag, ...string[]];
  const element = document.createElementNS(NAMESPACE, tag);
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** A picture as high as its content and as wide as its place, with a text alternative. */
export function picture(
  height: number,
  alternative: string,
  children: readonly SVGElement[],
): SVGSVGElement {
  // Without a `viewBox`, only the percentages follow the width: text and dots keep their size.
  const attributes = { role: 'img', 'aria-label': alternative, width: '100%', height };
  return svg('svg.picture', attributes, ...children);
}

/** Formats a coordinate as a percentage. */
export const percent = (value: number): string => `${value.toFixed(2)}%`;
