import { isTextTooDeep, isTooDeep, MAX_JSON_DEPTH } from './json-depth.js';

const arrays = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const objects = (levels: number): string => `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;

describe('the depth of JSON', () => {
  it.each([
    ['arrays', arrays(MAX_JSON_DEPTH), false],
    ['arrays with one level more', arrays(MAX_JSON_DEPTH + 1), true],
    ['objects', objects(MAX_JSON_DEPTH), false],
    ['objects with one level more', objects(MAX_JSON_DEPTH + 1), true],
    ['many values on one level', `[${Array(1_000).fill('[[]]').join()}]`, false],
    ['brackets in a text', JSON.stringify({ a: '['.repeat(99) }), false],
    ['brackets behind a quotation mark in a text', JSON.stringify(`"\\"${'['.repeat(99)}`), false],
    ['levels behind a text with a backslash', `["\\\\",${arrays(MAX_JSON_DEPTH)}]`, true],
    ['a number', '7', false],
  ])('is the same for the text and the value: %s', (_what, json, isDeep) => {
    expect([isTextTooDeep(json), isTooDeep(JSON.parse(json))]).toEqual([isDeep, isDeep]);
  });

  it('is found in a text that is not JSON', () => {
    expect(isTextTooDeep('['.repeat(30_000))).toBe(true);
    expect(isTextTooDeep(`"\\`)).toBe(false);
  });
});
