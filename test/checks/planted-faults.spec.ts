import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { FAULTS } from '../mutants/faults.js';
import { replaceOnce } from '../setup/planted-fault.js';

const PROJECT = path.resolve(__dirname, '../..');

/** The suites that `npm test` runs, as paths in the project. */
const SUITES = ['src', 'packages/client/src', 'test/unit', 'test/contract', 'test/api'].flatMap(
  (folder) =>
    readdirSync(path.join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => path.posix.join(folder, name.replaceAll(path.sep, '/')))
      .filter((name) => name.endsWith('.spec.ts')),
);

const named = (suites: string): readonly string[] =>
  SUITES.filter((file) => new RegExp(suites).test(file));

describe('the suites of test/contract and test/api', () => {
  const inFolder = SUITES.filter((file) => /^test\/(contract|api\/(?!smoke\/))/.test(file));
  const byFaults = new Set(FAULTS.flatMap(({ suites }) => named(suites)));

  it.each(inFolder)('are each named by a planted fault: %s', (file) => {
    expect(byFaults).toContain(file);
  });
});

describe('the planted faults', () => {
  it('have unique names', () => {
    expect(new Set(FAULTS.map(({ plants }) => plants)).size).toBe(FAULTS.length);
  });

  it.each(FAULTS)('apply to the sources: $plants', ({ replacements }) => {
    const texts = new Map<string, string>();
    for (const replacement of replacements) {
      const { where } = replacement;
      if (!('from' in replacement) || !/^(src|packages)\//.test(where)) continue;
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

  it.each(FAULTS)(
    'name suites of `npm test`, and a test that exists: $plants',
    ({ suites, test = '' }) => {
      const found = named(suites);
      expect(found).not.toEqual([]);
      // A table of cases may be in another file of the folder.
      const folders = new Set(found.map((suite) => path.join(PROJECT, path.dirname(suite))));
      const texts = [...folders].flatMap((directory) =>
        readdirSync(directory)
          .filter((name) => name.endsWith('.ts'))
          .map((name) => readFileSync(path.join(directory, name), 'utf8')),
      );
      expect(texts.some((text) => text.includes(test))).toBe(true);
    },
  );
});
