import { getHeapSpaceStatistics } from 'node:v8';
import { LinkedSet } from './linked-set.js';

describe('LinkedSet', () => {
  it('holds its values in the order in which they came', () => {
    const set = new LinkedSet<string>();
    const [first, , third] = ['a', 'b', 'c', 'd'].map((value) => set.add(value));
    expect(set.values()).toEqual(['a', 'b', 'c', 'd']);
    expect(set.delete(third!)).toBe(true);
    expect(set.delete(first!)).toBe(true);
    set.add('e');
    expect(set.values()).toEqual(['b', 'd', 'e']);
    expect(set.size).toBe(3);
  });

  it('takes an entry out once', () => {
    const set = new LinkedSet<string>();
    const entry = set.add('a');
    expect([set.delete(entry), set.delete(entry)]).toEqual([true, false]);
    set.add('b');
    expect(set.delete(entry)).toBe(false);
    expect([set.values(), set.size]).toEqual([['b'], 1]);
  });

  it('leaves the entries of another set alone', () => {
    const set = new LinkedSet<string>();
    const entry = set.add('a');
    expect(new LinkedSet<string>().delete(entry)).toBe(false);
    expect(set.values()).toEqual(['a']);
  });

  it('holds a value twice that was added twice', () => {
    const set = new LinkedSet<string>();
    const entry = set.add('a');
    set.add('a');
    set.delete(entry);
    expect(set.values()).toEqual(['a']);
  });

  it('becomes empty and is filled again', () => {
    const set = new LinkedSet<number>();
    for (let round = 0; round < 3; round += 1) {
      const entries = [1, 2].map((value) => set.add(value));
      for (const entry of entries) set.delete(entry);
      expect([set.values(), set.size]).toEqual([[], 0]);
    }
  });

  // As requests do: sixteen at a time, each gone long before the next collection but one.
  it('keeps nothing that is out from being collected with the new objects', () => {
    const set = new LinkedSet<object>();
    const ofSet = promotedKb(
      (value) => set.add(value),
      (entry) => set.delete(entry),
    );
    const map = new Map<object, object>();
    const ofMap = promotedKb(
      (value) => {
        map.set(value, value);
        return value;
      },
      (value) => map.delete(value),
    );
    expect(ofMap).toBeGreaterThan(2_000);
    expect(ofSet).toBeLessThan(ofMap / 4);
  });
});

/** By how much the memory of old objects grows at most while values of half a kilobyte come and go. */
function promotedKb<Entry>(add: (value: object) => Entry, remove: (entry: Entry) => void): number {
  const present = [add({})];
  // A quiet time: what there is becomes old.
  for (let count = 0; count < 10_000; count += 1) litter();
  const before = oldKb();
  let most = before;
  for (let count = 0; count < 20_000; count += 1) {
    present.push(add(Array.from({ length: 64 }, () => count)));
    if (present.length > 16) remove(present.shift()!);
    litter();
    if (count % 100 === 0) most = Math.max(most, oldKb());
  }
  return most - before;
}

/** Makes the engine collect the new objects now and then. */
function litter(): void {
  Array.from({ length: 512 }, () => ({}));
}

function oldKb(): number {
  const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'old_space');
  return (space?.space_used_size ?? NaN) / 1024;
}
