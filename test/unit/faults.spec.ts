import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULTS } from '../mutants/faults.js';
import { testFiles } from '../mutants/test-files.js';
import { replaceOnce } from '../setup/planted-fault.js';

const PROJECT = path.resolve(__dirname, '../..');

it('runs each suite in one test file', () => {
  expect(() => testFiles(PROJECT)).not.toThrow();
});

describe('the planted faults', () => {
  let files: readonly string[];
  beforeAll(() => {
    files = testFiles(PROJECT).map(({ file }) => file);
  });

  it('have unique names', () => {
    expect(new Set(FAULTS.map(({ plants }) => plants)).size).toBe(FAULTS.length);
  });

  it.each(FAULTS)('apply to the sources: $plants', ({ replacements }) => {
    const texts = new Map<string, string>();
    for (const replacement of replacements) {
      const { where } = replacement;
      if (!('from' in replacement) || !/^(src|node_modules)\//.test(where)) continue;
      const text = texts.get(where) ?? readFileSync(path.join(PROJECT, where), 'utf8');
      const replaced = replaceOnce(text, where, replacement.from, replacement.to);
      expect(replaced).not.toBe(text);
      texts.set(where, replaced);
    }
  });

  const sql = ['feed', 'listings', 'read-model']
    .map((name) => readFileSync(path.join(PROJECT, `sql/${name}.sql`), 'utf8'))
    .join('\n');

  it.each(FAULTS)('apply to the SQL code: $plants', ({ replacements }) => {
    for (const replacement of replacements) {
      if (replacement.where === 'database') {
        const [, trigger] = /\bTRIGGER (\w+)/.exec(replacement.to) ?? [];
        if (trigger !== undefined) expect(sql).toContain(`TRIGGER ${trigger} `);
      } else if (replacement.where.startsWith('function ')) {
        const { where, from, to } = replacement;
        const name = where.slice('function '.length);
        const [, body = ''] = sql.split(`CREATE OR REPLACE FUNCTION deal_sets.${name}(`);
        const [, code = ''] = body.split('$$');
        expect(replaceOnce(code, where, from, to)).not.toBe(code);
      }
    }
  });

  it.each(FAULTS)('name suites and a test that exist: $plants', ({ suites, test = '' }) => {
    const found = files.filter((file) => new RegExp(suites).test(file));
    expect(found).not.toEqual([]);
    // A table of cases may be in another file of the folder.
    const folders = new Set(found.map((suite) => path.join(PROJECT, path.dirname(suite))));
    const texts = [...folders].flatMap((directory) =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.ts'))
        .map((name) => readFileSync(path.join(directory, name), 'utf8')),
    );
    expect(texts.some((text) => text.includes(test))).toBe(true);
  });
});
