import { escapeHtml, raw, type Html } from './html.js';

const TOKENS = /("(?:\\.|[^"\\])*")(\s*:)?|\bnull\b/g;

/** JSON for reading: keys, texts and nulls are marked, since null is how a field is withheld. */
export function jsonText(value: unknown): Html {
  const text = JSON.stringify(value, null, 2);
  let marked = '';
  let end = 0;
  for (const match of text.matchAll(TOKENS)) {
    const [whole, quoted, colon] = match;
    marked += escapeHtml(text.slice(end, match.index));
    if (quoted === undefined) marked += `<i class="n">${whole}</i>`;
    else if (colon === undefined) marked += `<i class="s">${escapeHtml(quoted)}</i>`;
    else marked += `<b>${escapeHtml(quoted)}</b>${colon}`;
    end = match.index + whole.length;
  }
  return raw(marked + escapeHtml(text.slice(end)));
}
