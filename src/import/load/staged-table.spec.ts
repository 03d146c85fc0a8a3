import { copyText } from './staged-table.js';

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
