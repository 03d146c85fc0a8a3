import 'reflect-metadata';
import fc from 'fast-check';
import { repeatedKey, syntaxMistake } from './json-mistakes.js';

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

const VALUE =
  'a number, true, false, null or text in double quotes, but there is another word or number';
const QUOTE = '; a double quote inside text is written \\"';
const LEADING_ZERO = 'a number must not begin with 0: write a code, such as a ZIP code, as text';

describe('syntaxMistake', () => {
  it.each([
    ['{"a":1},', 'column 8: expected the end of the line, but there is ,'],
    ['{"a":1}{"b":2}', 'column 8: expected the end of the line, but there is {'],
    ['{"a":1 "b":2}', 'column 8: expected a comma or }, but there is "'],
    ['{"a":1,}', 'column 8: expected a key in double quotes, but there is }'],
    ['{“a”:1}', 'column 2: expected a key in double quotes or }, but there is “'],
    ["{'a':1}", "column 2: expected a key in double quotes or }, but there is '"],
    [
      '{a:1}',
      'column 2: expected a key in double quotes or }, but there is another word or number',
    ],
    ['{"a"=1}', 'column 5: expected a colon, but there is ='],
    ['{"a":}', 'column 6: expected a value, but there is }'],
    ['{"a":NaN}', `column 6: expected ${VALUE}`],
    ['{"a":07001}', `column 6: ${LEADING_ZERO}`],
    ['{"a":-07}', `column 7: ${LEADING_ZERO}`],
    ['{"a":10 7}', 'column 9: expected a comma or }, but there is another word or number'],
    [
      '{"a":"18" wheels"}',
      `column 11: expected a comma or }, but there is another word or number${QUOTE}`,
    ],
    [
      '{"a":"An 18"x20"}',
      `column 13: expected a comma or }, but there is another word or number${QUOTE}`,
    ],
    ['{"a":[1 2]}', 'column 9: expected a comma or ], but there is another word or number'],
    ['{"a":[1,]}', 'column 9: expected a value, but there is ]'],
    ['{"a":[}', 'column 7: expected a value or ], but there is }'],
    ['{"a":{"b":1}', 'column 13: expected a comma or }, but the line ends here'],
    ['{"🚗":"x', 'column 6: the text that begins here has no closing quote'],
    ['{"a":"C:\\q"}', 'column 9: \\ must be escaped in text'],
    ['{"a":"x\ty"}', 'column 8: the character U+0009 must be escaped in text'],
    ['{"a":\u00a01}', 'column 6: expected a value, but there is the character U+00A0'],
    ['id,name', `column 1: expected ${VALUE}`],
  ])('describes the mistake in %s', (text, mistake) => {
    expect(() => void JSON.parse(text)).toThrow(SyntaxError);
    expect(syntaxMistake(text)).toBe(mistake);
  });

  it('finds a mistake in every text that JSON.parse rejects', () => {
    const piece = fc.constantFrom(...'{}[]:,"\\ \t-01.eE', 'null', 'tru', 'é', '\u2028', '\\u00');
    const anywhere = fc.tuple(fc.json(), fc.nat(), fc.nat(3), fc.array(piece, { maxLength: 3 }));
    fc.assert(
      fc.property(anywhere, ([json, place, removed, added]) => {
        const at = place % (json.length + 1);
        const text = json.slice(0, at) + added.join('') + json.slice(at + removed);
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        if (!isValid) {
          expect(syntaxMistake(text)).not.toContain('the end of the line, but the line ends here');
        }
      }),
      { numRuns: 5_000 },
    );
  });
});
