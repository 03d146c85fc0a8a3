import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

/** Text that is already HTML. */
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

/** Builds HTML from a template. Inserted strings are escaped; `Html` values are not. */
export function markup(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(String.raw({ raw: strings }, ...parts.map(sourceOf)));
}

function sourceOf(value: Part): string {
  if (value instanceof Html) return value.source;
  if (typeof value !== 'string') return value.map(({ source }) => source).join('');
  return value.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? '');
}

const STYLE = `
  :root { color-scheme: light dark; --page: #f6f6f2; --card: #fff; --line: #e2e2da; --text: #1b1d1c; --soft: #595f5c; --accent: #0b6352; --on-accent: #fff; --withheld: #8d1f3f }
  @media (prefers-color-scheme: dark) { :root { --page: #121514; --card: #1a1e1c; --line: #2f3633; --text: #e8ebe9; --soft: #a3aca8; --accent: #6fd3bb; --on-accent: #0c1512; --withheld: #ff9fb6 } }
  body { font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; margin: 0; padding: 6vh 1rem 4rem; color: var(--text); background: var(--page) }
  main { max-width: 40rem; margin: 0 auto; padding: 2rem clamp(1rem, 5vw, 2.5rem); background: var(--card); border: 1px solid var(--line); border-radius: 12px }
  h1 { font-size: 1.6rem; line-height: 1.2; letter-spacing: -.02em; margin: 0 0 1rem } h2 { font-size: 1.05rem; margin-top: 1.75rem }
  button { font: inherit; font-weight: 600; padding: .6rem 1.2rem; border: 1px solid var(--accent); border-radius: 8px; background: none; color: var(--accent); cursor: pointer }
  button.main { background: var(--accent); color: var(--on-accent) }
  form.row { display: flex; gap: .75rem; flex-wrap: wrap; margin: 1.25rem 0 }
  ul { padding-left: 1.2rem } li { margin: .25rem 0 } code { font-size: .875em; overflow-wrap: anywhere } summary { cursor: pointer }
  .note { color: var(--soft) } .approval { border: 1px solid var(--line); border-radius: 8px; padding: .5rem 1rem; margin: 1rem 0 }
  pre { padding: .85rem 1rem; border: 1px solid var(--line); border-radius: 8px; max-height: 24rem; overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: .8125rem }
  table { width: 100%; border-collapse: collapse; margin: 1.25rem 0; table-layout: fixed } caption { text-align: left; font-weight: 600; padding-bottom: .35rem }
  th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word } thead :first-child { width: 27% } tbody th { font-weight: 400; color: var(--soft) }
  .not-shared { padding: 0 .3rem; border: 1px dashed; border-radius: 4px; color: var(--withheld); -webkit-box-decoration-break: clone; box-decoration-break: clone }
  @media (max-width: 30rem) { body { padding: 1rem .75rem 2rem } main { padding: 1.25rem 1rem } table { font-size: .875rem } th, td { padding-right: .4rem } :is(th, td):last-child { padding-right: 0 } thead :first-child { width: 29% } }
  a { color: var(--accent) } :focus-visible { outline: 3px solid var(--accent); outline-offset: 2px }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** The text between the tags must stay unchanged, because the policy contains its hash. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

/** A page of the demo. */
export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Default: 200. */
  readonly status?: number;
  /** A target of the page's forms in addition to this origin, as a CSP source expression. */
  readonly formTarget?: string;
  /**
   * The address of a module of this origin that the page runs. Default: the page runs no script.
   */
  readonly script?: string;
}

/** Sends a page that loads only its script and cannot be framed. */
export function sendPage(
  reply: FastifyReply,
  { title, body, status = 200, formTarget, script }: Page,
): FastifyReply {
  const headers = pageHeaders(formTarget);
  if (script === undefined)
    return reply.status(status).headers(headers).send(pageText(title, body));
  headers['Content-Security-Policy'] =
    `${headers['Content-Security-Policy'] ?? ''}; script-src 'self'`;
  const element = markup`<script type="module" src="${script}"></script>`;
  return reply
    .status(status)
    .headers(headers)
    .send(pageText(title, markup`${body}${element}`));
}

/**
 * Returns the headers of a page, which forbid scripts, external resources and framing.
 *
 * @param formTarget a target of the page's forms in addition to this origin, as a CSP source
 *   expression.
 */
export function pageHeaders(formTarget?: string): Record<string, string> {
  const targets = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    // With `no-referrer`, a browser would send no origin with a form.
    'Referrer-Policy': 'same-origin',
  };
}

/** Builds the HTML document of a page. */
export function pageText(title: string, body: Html): string {
  return markup`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · Deal Sets demo</title>
        ${STYLE_ELEMENT}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
          <p class="note"><a href="/">Back to the demo</a></p>
        </main>
      </body>
    </html> `.source;
}
