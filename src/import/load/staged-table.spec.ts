import { Buyer } from '../../database/entities/entities.js';
import { copyText, stagedTable } from './staged-table.js';

describe('copyText', () => {
  it('escapes what COPY gives a meaning to', () => {
    expect(copyText('a\tb\nc\rd\\N', 'text')).toBe('a\\tb\\nc\\rd\\\\N');
  });

  it('distinguishes null from the text \\N', () => {
    expect(copyText(null, 'text')).toBe('\\N');
    expect(copyText(undefined, 'uuid')).toBe('\\N');
    expect(copyText('\\N', 'text')).toBe('\\\\N');
  });

  it('floors times to the millisecond and puts them in UTC', () => {
    expect(copyText('2026-03-01T01:00:00.9999+02:00', 'timestamptz')).toBe(
      '2026-02-28T23:00:00.999Z',
    );
  });

  it('writes arrays, flags, bytes and numbers as PostgreSQL reads them', () => {
    expect(copyText(['a', 'b"\\,{}'], 'text[]')).toBe('{"a","b\\\\"\\\\\\\\,{}"}');
    expect(copyText(false, 'boolean')).toBe('f');
    expect(copyText('ab01', 'bytea')).toBe('\\\\xab01');
    expect(copyText(0, 'bigint')).toBe('0');
  });
});

describe('stagedTable', () => {
  it('takes table, key, columns and types from the entity', () => {
    const { columns, ...table } = stagedTable<Buyer, Buyer>(Buyer, {
      id: (r) => r.id,
      changesGranted: (r) => r.changesGranted,
    });
    expect(table).toEqual({ table: 'buyer', staging: 'staged_buyer', key: ['id'], aside: [] });
    expect(columns.map(({ name, type }) => [name, type])).toEqual([
      ['id', 'uuid'],
      ['changes_granted', 'boolean'],
    ]);
  });

  it('rejects a column without a value, and a value without a column', () => {
    expect(() => stagedTable<Buyer, Buyer>(Buyer, { id: (r) => r.id })).toThrow(
      'Buyer.changesGranted has no value in the import',
    );
    const values = { id: () => null, changesGranted: () => null, name: () => null };
    expect(() => stagedTable(Buyer, values)).toThrow('Buyer does not insert name');
  });
});
