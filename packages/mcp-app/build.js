import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { bundle } from './bundle.js';

const WEB = path.join(import.meta.dirname, 'web');
const read = (name) => readFile(path.join(WEB, name), 'utf8');

/** The source expression of an inline element in a Content-Security-Policy. */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * Builds the view: one HTML document with its script and style inline. The service's build writes it
 * to `dist/mcp/deal-set.html`.
 */
export async function buildView() {
  const style = (await Promise.all(['style.css', 'offer-row.css'].map(read))).join('');
  const script = await bundle('web/app.ts');
  // No directive contains an origin, so the view can neither load nor send anything.
  const policy = [
    "default-src 'none'",
    `script-src ${hashOf(script)}`,
    `style-src ${hashOf(style)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const template = await read('index.html');
  // The replacements are functions because `$` has a special meaning in a replacement string.
  return template
    .replace('{{policy}}', () => policy)
    .replace('{{style}}', () => style)
    .replace('{{script}}', () => script);
}
