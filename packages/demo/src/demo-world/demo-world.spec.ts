import 'reflect-metadata';
import { parseLine } from '../../../../src/operations/import/lines/parse-line.js';
import { demoWorld } from './demo-world.js';

describe('demoWorld', () => {
  it('returns a valid import file at any time', () => {
    for (const now of ['2026-03-01T00:00:00Z', '2031-12-31T23:59:59Z']) {
      const nowMs = Date.parse(now);
      const problems: unknown[] = [];
      demoWorld(nowMs, 'a-cookie-value-of-some-length').forEach((record, index) => {
        const line = { number: index + 1, text: JSON.stringify(record) };
        parseLine(line, nowMs, (problem) => problems.push(problem));
      });
      expect(problems).toEqual([]);
    }
  });

  it('has a cleared text for each item of a hidden dealership but one question', () => {
    const records = demoWorld(0, 'some-cookie-value');
    const hidden = new Set(
      records.flatMap((record) =>
        record.record === 'priceCheck' && !record.unlockedAt && !record.chosenAt ? [record.id] : [],
      ),
    );
    const items = records.flatMap((record) =>
      (record.record === 'question' || record.record === 'draft') && hidden.has(record.priceCheckId)
        ? [record]
        : [],
    );
    const texts = items.map((item) =>
      item.record === 'question' ? item.textWhileHidden : item.bodyWhileHidden,
    );
    expect(items.map(({ record }) => record).sort()).toEqual(['draft', 'question', 'question']);
    expect(items.filter((_, at) => !texts[at])).toMatchObject([{ record: 'question' }]);
    const names = records.flatMap((record) =>
      record.record === 'dealership' ? [record.name] : [],
    );
    for (const text of texts) {
      expect(names.filter((name) => text?.includes(name))).toEqual([]);
    }
  });

  it('returns the same ids at any time', () => {
    const ids = (nowMs: number): string[] =>
      demoWorld(nowMs, 'some-cookie-value').map(({ record, id }) => `${record} ${id}`);
    expect(ids(0)).toEqual(ids(1_000_000_000));
    expect(new Set(ids(0)).size).toBe(ids(0).length);
  });
});
