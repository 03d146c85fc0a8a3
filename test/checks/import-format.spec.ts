import { readFileSync, writeFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { generateWorld } from '../world/world-generator.js';
import { WORLD_DEFAULTS } from '../world/world-options.js';
import { markdownTable } from '../documents/markdown-table.js';
import { checkRecord, lineSchemaText } from '../../src/operations/import/records/check-record.js';
import { ALL_KINDS, RECORDS } from '../../src/operations/import/records/records.js';
import { withoutNull, type ObjectSchema } from '../../src/operations/import/records/values.js';

const GUIDE = 'docs/import-format.md';
const TABLE = /(<!-- keys of (\w+) -->\n\n)[^]*?(\n\n<!-- \/keys -->)/g;

/** Returns the rows of the table for an object's keys: the key, its value and its meaning. */
function rowsOf({ shape }: ObjectSchema, prefix = ''): string[][] {
  return Object.entries(shape).flatMap(([key, schema]) => {
    const inner = withoutNull(schema);
    const [issue] = z.safeParse(inner, Symbol('a value of the wrong type')).error!.issues;
    const value = issue!.message.replace(/^must be (?:an? )?/, '').replace(/, such as .*$/, '');
    const { description = '' } = {
      ...z.globalRegistry.get(inner),
      ...z.globalRegistry.get(schema),
    };
    const row = [
      `\`${prefix}${key}${schema instanceof z.ZodOptional ? '?' : ''}\``,
      value,
      description,
    ];
    return [row, ...(inner instanceof z.ZodObject ? rowsOf(inner, `${prefix}${key}.`) : [])];
  });
}

describe('the description of the import format', () => {
  const guide = readFileSync(GUIDE, 'utf8');
  const kinds: string[] = [];
  const current = guide.replace(TABLE, (_all, begin, kind: keyof typeof RECORDS, end) => {
    kinds.push(kind);
    return `${begin}${markdownTable(['key', 'value', 'meaning'], rowsOf(RECORDS[kind]))}${end}`;
  });
  if (process.env['WRITE_IMPORT_FORMAT']) writeFileSync(GUIDE, current);

  it('has the current table of every kind of record', () => {
    expect(kinds).toEqual([...ALL_KINDS]);
    expect(readFileSync(GUIDE, 'utf8')).toBe(current);
  });
});

describe('the JSON Schema of a line', () => {
  const ajv = new Ajv();
  addFormats.default(ajv);
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

  it.each([
    ['2026-02-28T09:30Z', true],
    ['2026-02-28t09:30:00,5+0530', true],
    ['20260228T0930-05', true],
    ['2026-02-28', false],
    ['2026-02-28T09:30', false],
    ['2026-02-28 09:30Z', false],
    ['2026-13-28T09:30Z', false],
    ['2026-02-32T09:30Z', false],
    ['2026-02-28T24:00Z', false],
    ['2026-02-28T09:60Z', false],
    ['2026-02-28T09:30:60Z', false],
    ['2026-02-28T09:30+24:00', false],
  ])('describes times completely: %s is a time: %j', (endedAt, isTime) => {
    const record = {
      record: 'dealSet',
      id: '00000000-0000-4000-8000-000000000001',
      buyerId: '00000000-0000-4000-8000-000000000001',
      car: { year: 2026, make: 'Mazda', model: 'CX-50' },
      createdAt: '2026-01-01T00:00:00Z',
      endedAt,
    };
    expect(isValid(record)).toBe(isTime);
    expect(checkRecord('dealSet', record, 0)).toHaveLength(isTime ? 0 : 1);
  });
});
