/** Text that is HTML already; only `html` and `raw` make it. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = string | number | Html | readonly Part[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ESCAPES[character] ?? character);
}

function render(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(render).join('');
  return escapeHtml(String(part));
}

/** A template whose values are escaped, unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, index) => text + render(values[index] ?? '')).join(''));
}

/** Constant text of this folder, such as the style sheet. Never anything of a declaration or a request. */
export const raw = (text: string): Html => new Html(text);

export const NOTHING = raw('');

export function joined(parts: readonly Html[], separator: string): Html {
  return raw(parts.map(({ text }) => text).join(escapeHtml(separator)));
}

/** A description from a declaration, its words between backticks as code. */
export function prose(text: string): Html {
  const parts = text.split('`');
  return raw(
    parts
      .map((part, index) =>
        index % 2 === 1 ? `<code>${escapeHtml(part)}</code>` : escapeHtml(part),
      )
      .join(''),
  );
}
