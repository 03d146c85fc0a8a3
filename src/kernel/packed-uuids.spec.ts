import fc from 'fast-check';
import { packUuids, unpackUuids } from './packed-uuids.js';

const uuids = (most: number): fc.Arbitrary<string[]> =>
  fc.array(fc.uuid(), { maxLength: most, size: 'max' });

describe('packed UUIDs', () => {
  it('are those that were packed, in their order', () => {
    fc.assert(
      fc.property(uuids(40), (ids) => {
        expect(unpackUuids(packUuids(ids))).toEqual(ids);
      }),
    );
  });

  it.each([511, 512, 513, 20_000])('are read in a list of %d', (count) => {
    const ids = Array.from({ length: count }, () => '01234567-89ab-cdef-0123-456789abcdef');
    expect(unpackUuids(packUuids(ids))).toEqual(ids);
  });

  it('take 22 characters an id', () => {
    expect(packUuids(['01234567-89ab-cdef-0123-456789abcdef'])).toBe('ASNFZ4mrze8BI0VniavN7w==');
    expect(packUuids(fc.sample(fc.uuid(), { numRuns: 200, seed: 1 }))).toHaveLength(4_268);
  });

  it('are refused when not whole', () => {
    const packed = packUuids(['01234567-89ab-cdef-0123-456789abcdef']);
    expect(() => unpackUuids(packed.slice(4))).toThrow(TypeError);
  });

  it('are made of UUIDs alone, so that none is lost', () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef';
    for (const wrong of ['', 'g'.repeat(32), id.slice(1)]) {
      expect(() => packUuids([id, wrong, id])).toThrow(new TypeError('packed ids are UUIDs'));
    }
  });
});
