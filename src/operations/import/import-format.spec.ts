import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { generateWorld } from '../../../test/world/world-generator.js';
import { WORLD_DEFAULTS } from '../../../test/world/world-options.js';
import { markdownTable } from '../../../test/documents/markdown-table.js';
import { lineSchemaText } from './record-schema.js';
import { ALL_KINDS, ALL_RULES } from './records.js';
import type { Rules } from './rules.js';

const GUIDE = 'docs/import-format.md';
const TABLE = /(<!-- keys of (\w+) -->\n\n)[^]*?(\n\n<!-- \/keys -->)/g;

/** Returns the rows of the table for an object's keys: the key, its value and its meaning. */
function rowsOf(rules: Rules, prefix = ''): string[][] {
  return Object.entries(rules).flatMap(([key, { schema, isOptional, nested }]) => {
    const { reason, description } = schema as { reason: string; description?: string };
    const value = reason.replace(/^must be (?:an? )?/, '').replace(/, such as .*$/, '');
    const row = [`\`${prefix}${key}${isOptional ? '?' : ''}\``, value, description ?? ''];
    return [row, ...(nested ? rowsOf(nested.rules, `${prefix}${key}.`) : [])];
  });
}

describe('the description of the import format', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const kinds: string[] = [];
  const current = guide.replace(TABLE, (_all, begin, kind: keyof typeof ALL_RULES, end) => {
    kinds.push(kind);
    return `${begin}${markdownTable(['key', 'value', 'meaning'], rowsOf(ALL_RULES[kind]))}${end}`;
  });
  if (process.env['WRITE_IMPORT_FORMAT']) writeFileSync(GUIDE, current);

  it('has the current table of every kind of record', () => {
    expect(kinds).toEqual([...ALL_KINDS]);
    expect(readFileSync(GUIDE, 'utf8')).toBe(current);
  });
});

describe('the JSON Schema of a line', () => {
  const ajv = new Ajv({ strictTypes: false });
  ajv.addFormat('uuid', true);
  ajv.addFormat('iso-time', true);
  const isValid = ajv.compile(JSON.parse(lineSchemaText()) as object);

  it('accepts every record of a generated world, in the strict mode of a validator', () => {
    for (const record of generateWorld({ ...WORLD_DEFAULTS, buyers: 3, seed: 'schema' })) {
      expect({ record, isValid: isValid(record) }).toEqual({ record, isValid: true });
    }
  });

  it.each([
    {},
    { record: 'buyer' },
    { record: 'buyer', id: '1', nick: 'x' },
    { record: 'end', records: 1.5 },
    { record: 'erasedBuyer', idSha256: 'x' },
  ])('rejects %j', (record) => expect(isValid(record)).toBe(false));
});
