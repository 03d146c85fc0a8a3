/** Content of an element. `null` and `false` add nothing. */
export type Child = Node | string | false | null;

/**
 * Creates an element. Text is always inserted as text and never parsed as HTML.
 *
 * @param selector the tag, and classes after it: `p.note`.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  attributes: Readonly<Record<string, string>>,
  ...children: readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.') as [Tag, ...string[]];
  const element = document.createElement(tag);
  element.classList.add(...classes);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}
