/** Content of an element. `null`, `undefined` and `false` add nothing. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

interface Attributes {
  readonly [name: string]: string | number | boolean | undefined;
}

type Listeners = Readonly<Partial<Record<keyof HTMLElementEventMap, (event: Event) => void>>>;

/**
 * Creates an element from its tag and classes (`p.note`), optional attributes, and children. Text
 * is always inserted as text and never parsed as HTML.
 */
export function el<Tag extends keyof HTMLElementTagNameMap>(
  selector: Tag | `${Tag}.${string}`,
  ...content: readonly [Attributes, ...Child[]] | readonly Child[]
): HTMLElementTagNameMap[Tag] {
  const [tag, ...classes] = selector.split('.') as [Tag, ...string[]];
  const element = document.createElement(tag);
  element.classList.add(...classes);
  const [first, ...rest] = content;
  if (!isAttributes(first)) append(element, content as readonly Child[]);
  else {
    for (const [name, value] of Object.entries(first)) {
      if (value === true) element.setAttribute(name, '');
      else if (value !== undefined && value !== false) element.setAttribute(name, String(value));
    }
    append(element, rest as readonly Child[]);
  }
  return element;
}

function isAttributes(content: Attributes | Child): content is Attributes {
  const isObject = typeof content === 'object' && content !== null;
  return isObject && !(content instanceof Node) && !Array.isArray(content);
}

function append(element: HTMLElement, children: readonly Child[]): void {
  for (const child of children) {
    if (child instanceof Node) element.append(child);
    else if (typeof child === 'object' && child !== null) append(element, child);
    else if (typeof child === 'string' || typeof child === 'number') element.append(String(child));
  }
}

/** Creates a button that calls `onClick`. */
export function button(
  label: Child,
  onClick: () => void,
  attributes: Attributes = {},
): HTMLButtonElement {
  return on(el('button', { type: 'button', ...attributes }, label), { click: onClick });
}

/**
 * Adds event listeners to an element.
 *
 * @returns the same element.
 */
export function on<E extends HTMLElement>(element: E, listeners: Listeners): E {
  for (const [name, listener] of Object.entries(listeners)) {
    element.addEventListener(name, listener);
  }
  return element;
}

/**
 * Replaces the children of an element. If a new child has the same `data-key` as an old one, an
 * open section stays open, and the scroll position and the focus are kept.
 */
export function replace(place: HTMLElement, ...children: readonly Child[]): void {
  const open = keysOf(place, 'details[open]');
  const active = document.activeElement as HTMLElement | null;
  const focused = active && place.contains(active) ? active.dataset['key'] : undefined;
  const next = el('div', ...children);
  for (const details of next.querySelectorAll('details')) {
    if (open.has(details.dataset['key'] ?? '')) details.open = true;
  }
  const scrolled = [...place.querySelectorAll<HTMLElement>('.scrolls')].map(
    ({ dataset, scrollLeft, scrollTop }) => ({ key: dataset['key'], scrollLeft, scrollTop }),
  );
  place.replaceChildren(...next.childNodes);
  for (const { key, scrollLeft, scrollTop } of scrolled) {
    byKey(place, key)?.scrollTo(scrollLeft, scrollTop);
  }
  if (focused !== undefined) byKey(place, focused)?.focus({ preventScroll: true });
}

function byKey(place: HTMLElement, key = ''): HTMLElement | null {
  return place.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
}

function keysOf(place: HTMLElement, selector: string): ReadonlySet<string> {
  const found = [...place.querySelectorAll<HTMLElement>(selector)];
  return new Set(found.map(({ dataset }) => dataset['key'] ?? ''));
}

/**
 * Returns the element of index.html with this id.
 *
 * @throws {Error} if there is no such element.
 */
export function place(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`index.html has no element #${id}`);
  return found;
}
