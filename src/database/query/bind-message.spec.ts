import { types } from 'pg';
import { serialize } from 'pg-protocol';
import { bindMessage, resultFormats } from './bind-message.js';

const { INT4, TEXT, TIMESTAMPTZ } = types.builtins;
const BIND = { statement: 'list', values: ['a buyer', 'b'] };

describe('a Bind message', () => {
  it.each([
    ['a text in binary', TEXT, true],
    ['a number as text', INT4, false],
    ['a time as text', TIMESTAMPTZ, false],
  ])('of one column is the driver’s own: %s', (_column, oid, binary) => {
    const message = bindMessage({ ...BIND, resultFormats: resultFormats([oid]) });
    expect(message).toEqual(serialize.bind({ ...BIND, binary }));
  });

  it('has a format for each column, and counts their bytes', () => {
    const message = bindMessage({ ...BIND, resultFormats: resultFormats([TEXT, INT4, TEXT]) });
    expect([...message.subarray(-8)]).toEqual([0, 3, 0, 1, 0, 0, 0, 1]);
    expect(message.readInt32BE(1)).toBe(message.length - 1);
  });

  it('asks a statement without columns for nothing', () => {
    const message = bindMessage({ ...BIND, resultFormats: resultFormats([]) });
    expect([...message.subarray(-2)]).toEqual([0, 0]);
  });
});
