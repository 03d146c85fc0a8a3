/**
 * Builds the view: one HTML document with its script and style inline. The service serves it as an
 * asset of `src/mcp`, which its build copies to `dist`.
 */
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { bundle } from './bundle.js';

const web = path.join(import.meta.dirname, 'web');
const output = path.join(import.meta.dirname, '../../src/mcp/deal-set.html');

const parts = {
  style: ['style.css', 'offer-row.css']
    .map((name) => readFileSync(path.join(web, name), 'utf8'))
    .join(''),
  script: await bundle('web/app.ts'),
};
/** The source expression of an inline element in a Content-Security-Policy. */
const hashOf = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
// No directive contains an origin, so the view can neither load nor send anything.
const policy = [
  "default-src 'none'",
  `script-src ${hashOf(parts.script)}`,
  `style-src ${hashOf(parts.style)}`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

const template = readFileSync(path.join(web, 'index.html'), 'utf8');
// The replacements are functions because `$` has a special meaning in a replacement string.
const html = template
  .replace('{{policy}}', () => policy)
  .replace('{{style}}', () => parts.style)
  .replace('{{script}}', () => parts.script);
writeFileSync(output, html);
