import fc from 'fast-check';
import { maskWords } from '../../src/deal-sets/domain/masking/masked-words.js';
import { costGrowth, HOSTILE_UNITS, LARGEST_GROWTH, repeated } from '../setup/cost-growth.js';

describe('masking a message takes no longer than the message is long', () => {
  const growthOf = (key: string, unit: string): number =>
    costGrowth(
      (text) => maskWords(text, [key]),
      (length) => repeated(unit, length),
    );

  it.each(Object.entries(HOSTILE_UNITS))('with %s', (_name, unit) => {
    expect(growthOf('lakesidemotors', unit)).toBeLessThan(LARGEST_GROWTH);
  });

  it('with hosts in the path of another one, before many signs', () => {
    const growth = costGrowth(
      (text) => maskWords(text, []),
      (length) => repeated('a.co/', length / 2) + '.'.repeat(length / 2),
    );
    expect(growth).toBeLessThan(LARGEST_GROWTH);
  });

  it.each([
    ['one letter', 'a'],
    ['equal letters', 'a'.repeat(300)],
    ['equal letters and another', `${'a'.repeat(299)}b`],
    ['another letter and equal ones', `b${'a'.repeat(299)}`],
    ['letters of ampersands', 'and'.repeat(300)],
    ['digits', '1'.repeat(40)],
  ])('with a key of %s', (_name, key) => {
    const beginning = key.slice(0, -1);
    for (const unit of [key, beginning || 'b', `${beginning}${' '.repeat(400)}`, '&', 'a', '1 ']) {
      expect(growthOf(key, unit)).toBeLessThan(LARGEST_GROWTH);
    }
  });

  it('with generated names and texts', () => {
    const unit = fc.string({
      unit: fc.constantFrom(...'aA1 .,-@/&;#()x漢\u0301'),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(unit, unit, (name, text) => {
        const growth = costGrowth(
          (whole) => maskWords(whole, [repeated(name, 300)]),
          (length) => `${name}${repeated(text, length)}`,
        );
        expect(growth).toBeLessThan(LARGEST_GROWTH);
      }),
      { numRuns: 20 },
    );
  });
});
