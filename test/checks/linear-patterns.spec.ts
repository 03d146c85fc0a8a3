import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync } from '@swc/core';
import { repeatedKey } from '../../src/operations/import/lines/repeated-key.js';
import { costGrowth, HOSTILE_UNITS, LARGEST_GROWTH, repeated } from './cost-growth.js';

const SOURCES = path.join(import.meta.dirname, '../../src');

interface Pattern {
  readonly file: string;
  readonly regExp: RegExp;
}

/** All regular expressions that are written in the sources of the service. */
function patternsOfSources(): Pattern[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'),
  );
  return files.flatMap((file) => {
    const source = readFileSync(path.join(SOURCES, file), 'utf8');
    const tree = parseSync(source, { syntax: 'typescript', decorators: true, target: 'es2022' });
    return [...regExpsIn(tree)].map((regExp) => ({ file, regExp }));
  });
}

function* regExpsIn(node: unknown): Generator<RegExp> {
  if (typeof node !== 'object' || node === null) return;
  const { type, pattern, flags } = node as { type?: string; pattern?: string; flags?: string };
  if (type === 'RegExpLiteral') yield new RegExp(pattern!, flags);
  else for (const child of Object.values(node)) yield* regExpsIn(child);
}

/** The beginnings that lead an anchored pattern to the part that repeats. */
const BEGINNINGS = [
  '',
  'bearer ',
  'session=',
  '2026-03-01T00:00:00.',
  '20260301T000000,',
  `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01-`,
  '[',
  '"',
  '-1',
  '{',
  'permission denied ',
  'localhost:',
  '127',
];
/** An ending that no pattern accepts, so that it looks for all other ways to match. */
const ENDING = '\u0001';
/** `repeatedKey` splits only text that `JSON.parse` has accepted; it is tested by itself. */
const OF_VALID_TEXT = ['operations/import/lines/repeated-key.ts'];

describe('the regular expressions of the service', () => {
  const patterns = patternsOfSources();

  it('are found in the sources', () => expect(patterns.length).toBeGreaterThan(50));

  it.each(
    patterns
      .filter(({ file }) => !OF_VALID_TEXT.includes(file))
      .map(({ file, regExp }) => [file, String(regExp), regExp] as const),
  )('take no longer than a text is long: %s %s', (_file, _source, { source, flags }) => {
    const every = new RegExp(source, [...new Set(`${flags}g`)].join(''));
    const slow: string[] = [];
    for (const beginning of source.startsWith('^') ? BEGINNINGS : ['']) {
      for (const [name, unit] of Object.entries(HOSTILE_UNITS)) {
        const growth = costGrowth(
          (text) => text.replace(every, ''),
          (length) => `${beginning}${repeated(unit, length)}${ENDING}`,
        );
        if (growth > LARGEST_GROWTH) slow.push(`${name} behind "${beginning}": ${growth}`);
      }
    }
    expect(slow).toEqual([]);
  });

  it.each(Object.entries(HOSTILE_UNITS))(
    'read JSON in no longer than it is long: %s',
    (_, unit) => {
      const json = (length: number): string =>
        JSON.stringify({ [repeated(unit, length)]: [repeated(unit, length), 1e21, -0.5] }, null, 2);
      expect(costGrowth(repeatedKey, json)).toBeLessThan(LARGEST_GROWTH);
    },
  );
});
