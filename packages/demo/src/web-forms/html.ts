/** Text that is HTML already. */
export class Html {
  constructor(readonly source: string) {}
}

type Part = string | Html | readonly Html[];

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** HTML from a template; what is put into it is escaped unless it is HTML. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(sourceOf)));
}

function sourceOf(part: Part): string {
  if (part instanceof Html) return part.source;
  if (typeof part !== 'string') return part.map(({ source }) => source).join('');
  return part.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}
