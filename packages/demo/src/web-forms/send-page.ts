import { createHash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { Html, markup } from './html.js';

const STYLE = `
  body { font: 1rem/1.5 system-ui, sans-serif; max-width: 42rem; margin: 2rem auto; padding: 0 1rem; color: #1b1b1f; background: #fff }
  h1 { font-size: 1.5rem; line-height: 1.25 } h2 { font-size: 1.1rem; margin-top: 1.5rem }
  button { font: inherit; padding: .6rem 1.2rem; border: 1px solid #1d4f91; border-radius: .4rem; background: #fff; color: #1d4f91; cursor: pointer }
  button.main { background: #1d4f91; color: #fff }
  form.row { display: flex; gap: .75rem; flex-wrap: wrap; margin: 1rem 0 }
  li { margin: .25rem 0 } code { overflow-wrap: anywhere }
  .note { color: #55565c } .approval { border: 1px solid #c7c8ce; border-radius: .5rem; padding: .5rem 1rem; margin: 1rem 0 }
  a { color: #1d4f91 } :focus-visible { outline: 3px solid #d97706; outline-offset: 2px }
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** In one piece: the policy holds the hash of what is between the tags. */
const STYLE_ELEMENT = new Html(`<style>${STYLE}</style>`);

export interface Page {
  readonly title: string;
  readonly body: Html;
  /** Default: 200. */
  readonly status?: number;
  /** Where a form of the page may lead besides this origin, as a source of the policy. */
  readonly formTarget?: string;
}

/** Sends a page that runs no script, loads nothing and cannot be framed. */
export function sendPage(
  reply: FastifyReply,
  { title, body, status = 200, formTarget }: Page,
): FastifyReply {
  return reply.status(status).headers(pageHeaders(formTarget)).send(pageText(title, body));
}

export function pageHeaders(formTarget?: string): Record<string, string> {
  const targets = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${STYLE_HASH}'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    // Not `no-referrer`: with it a browser sends no origin with a form.
    'Referrer-Policy': 'same-origin',
  };
}

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
        </main>
      </body>
    </html> `.source;
}
