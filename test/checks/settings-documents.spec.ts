import { readFileSync, writeFileSync } from 'node:fs';
import { markdownTable } from '../documents/markdown-table.js';
import { rowsOf } from '../../src/config/check-settings.js';
import { SERVER_SETTINGS, SETTINGS } from '../../src/config/settings-table.js';

/** The header of `.env.example`. */
const HEADER =
  'Every setting of the service with its default. The service reads only its environment, never a file. To use a copy of this file, start with `node --env-file=.env dist/main.js`, or let your shell or container runtime load it. An empty value counts as unset. If a value is invalid, the service does not start and prints one line for each invalid setting. `npm run settings:docs` writes this file.';
const PAGE = 'docs/operations/settings.md';
const TITLE =
  '# Settings\n\n<!-- `npm run settings:docs` writes this page. -->\n\n[Run](run.md#settings) explains how to set them.\n\n';
const WIDTH = 100;

/** Returns the text of a variable that sets the default. */
function textOf(value: boolean | number | string | readonly string[] | undefined): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return [value ?? ''].flat().join(',');
}

const ROWS = [...rowsOf(SETTINGS, ['settings']), ...rowsOf(SERVER_SETTINGS, ['server'])].map(
  (row) => ({
    ...row,
    // Unset, `NODE_ENV` is not production.
    text: row.variable === 'NODE_ENV' ? '' : textOf(row.byDefault as Parameters<typeof textOf>[0]),
  }),
);

/** Wraps a text into the lines of a comment. */
function comment(text: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const line = lines.at(-1) ?? '';
    if (`# ${line} ${word}`.length > WIDTH) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `# ${line}\n`).join('');
}

function exampleFile(): string {
  const rows = ROWS.map(({ variable, meaning, text }) => {
    const line = `${variable}=${text}`;
    return `\n${comment(meaning)}${variable.endsWith('>') ? `# ${line}` : line}\n`;
  });
  return comment(HEADER) + rows.join('');
}

function settingsPage(): string {
  const code = (text: string): string => (text === '' ? '' : `\`${text}\``);
  const rows = ROWS.map(({ variable, path, text, meaning }) => [
    code(variable),
    code(path),
    code(text),
    meaning,
  ]);
  return `${TITLE}${markdownTable(['variable', 'option', 'default', 'meaning'], rows)}\n`;
}

describe('the documents about settings', () => {
  if (process.env['WRITE_SETTINGS']) {
    writeFileSync('.env.example', exampleFile());
    writeFileSync(PAGE, settingsPage());
  }

  it('list the table in .env.example', () => {
    expect(readFileSync('.env.example', 'utf8')).toBe(exampleFile());
  });

  it('list the table in the page for operators', () => {
    expect(readFileSync(PAGE, 'utf8')).toBe(settingsPage());
  });
});
