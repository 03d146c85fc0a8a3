import { parseQueryString } from './query-string.js';

describe('parseQueryString', () => {
  it.each([
    ['', {}],
    ['a=1&b', { a: '1', b: '' }],
    ['a=1&a=2&a=3', { a: ['1', '2', '3'] }],
    ['a=1+2', { a: '1 2' }],
    ['%73ince=%2B', { since: '+' }],
    ['a=%', { a: '%' }],
    ['a=%FF', { a: '\ufffd' }],
    ['since[]=x', { 'since[]': 'x' }],
  ])('reads %s', (text, expected) => {
    expect({ ...parseQueryString(text) }).toEqual(expected);
  });

  it('takes __proto__ for a name like any other', () => {
    const query = parseQueryString('__proto__=x&constructor=y');
    expect(Object.entries(query)).toEqual([
      ['__proto__', 'x'],
      ['constructor', 'y'],
    ]);
  });
});
