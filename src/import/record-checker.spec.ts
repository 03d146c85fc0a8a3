import 'reflect-metadata';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import fc from 'fast-check';
import { WORLD_DEFAULTS } from '../world/world-options.js';
import { generateWorld } from '../world/world-generator.js';
import { RecordChecker } from './record-checker.js';
import { PriceCheckRecord } from './records/price-check-record.js';
import { RECORD_CLASSES, type ImportRecord } from './records/record-kinds.js';

function problemsOf(recordClass: new () => object, value: object): string[] {
  const found: string[] = [];
  new RecordChecker(recordClass).check(value, (path, reason) => found.push(`${path}: ${reason}`));
  return found;
}

const soundCheck = {
  id: '00000000-0000-4000-8000-000000000001',
  buyerId: '00000000-0000-4000-8000-000000000002',
  dealershipId: '00000000-0000-4000-8000-000000000003',
  listing: {},
  requestedAt: '2026-01-01T00:00:00Z',
};

describe('RecordChecker', () => {
  it('finds nothing wrong with a sound record', () => {
    expect(problemsOf(PriceCheckRecord, soundCheck)).toEqual([]);
  });

  it('names the path of a key inside a part', () => {
    const price = { otdCents: 1.5, sellingPriceCents: null };
    expect(problemsOf(PriceCheckRecord, { ...soundCheck, price })).toEqual([
      'price.otdCents: must be an integer from 0 to 9007199254740991, written as decimal digits',
    ]);
  });

  it('refuses keys that have no declaration, also those that every object inherits', () => {
    const value = JSON.parse(
      `{"constructor":1,"__proto__":{},"a\\u001bb":1,${JSON.stringify(soundCheck).slice(1)}`,
    ) as object;
    expect(problemsOf(PriceCheckRecord, value)).toEqual([
      'constructor: is not a key of this record',
      '__proto__: is not a key of this record',
      'a?b: is not a key of this record',
    ]);
  });

  it('does not take a key from the prototype for one of the record', () => {
    const { id, ...rest } = soundCheck;
    const value = Object.assign(Object.create({ id }) as object, rest);
    expect(problemsOf(PriceCheckRecord, value)).toEqual(['id: is missing']);
  });

  it('holds the verdict of class-validator on every kind of record, sound and broken', () => {
    const samples = new Map<string, ImportRecord>();
    for (const record of generateWorld({ ...WORLD_DEFAULTS, buyers: 30, seed: 'checker' })) {
      samples.set(record.record, record);
    }
    expect(samples.size).toBe(Object.keys(RECORD_CLASSES).length);

    const damage = fc.constantFrom(
      undefined,
      null,
      '',
      'x',
      '\0',
      '\uD800',
      0,
      -1,
      1.5,
      2 ** 53,
      true,
      [],
      ['x'],
      [null],
      {},
      { year: 'x' },
      '2026-02-30T00:00:00Z',
      '2026-02-03T00:00:00+01:00',
      '45202',
      'sold',
      'a'.repeat(201),
      '🚗'.repeat(200),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...samples.values()),
        fc.nat(),
        damage,
        (sample, index, value) => {
          const { record: kind, ...sound } = sample;
          const keys = Object.keys(sound);
          const broken = { ...sound, [keys[index % keys.length]!]: value };
          const verdict = validateSync(plainToInstance(RECORD_CLASSES[kind], broken), {
            whitelist: true,
            forbidNonWhitelisted: true,
          });
          expect([broken, problemsOf(RECORD_CLASSES[kind], broken).length === 0]).toEqual([
            broken,
            verdict.length === 0,
          ]);
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
