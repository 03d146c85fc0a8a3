import 'reflect-metadata';
import fc from 'fast-check';
import { repeatedKey } from './repeated-key.js';

describe('repeatedKey', () => {
  it('finds no key in text that JSON.stringify wrote', () => {
    fc.assert(fc.property(fc.json(), (text) => expect(repeatedKey(text)).toBeUndefined()));
  });

  it.each([
    ['{"a":1,"b":2,"a":1}', 'a'],
    ['{"a":1,"\\u0061":1}', 'a'],
    ['{"x":[{"a":{}},{"b":1,"b":{}}]}', 'b'],
    ['{"x":{"a":1},"a":2,"x" :3}', 'x'],
    ['{"a":"b","b":"a","c":["a","a"]}', undefined],
    ['{"a":"\\"b\\":1","b":1}', undefined],
    ['[{"a":1},{"a":1}]', undefined],
  ])('finds in %s: %s', (text, key) => expect(repeatedKey(text)).toBe(key));
});
