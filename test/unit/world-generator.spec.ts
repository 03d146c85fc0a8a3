import 'reflect-metadata';
import { createHash } from 'node:crypto';
import { parseLine } from '../../src/operations/import/lines/parse-line.js';
import type { ImportRecord } from '../../src/operations.js';
import { worldBuyerId, worldCookie } from '../world/generate-buyer.js';
import { generateWorld, worldText } from '../world/world-generator.js';
import { WORLD_DEFAULTS, type WorldOptions } from '../world/world-options.js';

const SMALL: WorldOptions = { ...WORLD_DEFAULTS, buyers: 4, seed: 'a' };

function digest(options: WorldOptions): string {
  const hash = createHash('sha256');
  for (const text of worldText(options)) hash.update(text);
  return hash.digest('hex');
}

function ofKind<K extends ImportRecord['record']>(
  options: WorldOptions,
  kind: K,
): Extract<ImportRecord, { record: K }>[] {
  return [...generateWorld(options)].filter(
    (record): record is Extract<ImportRecord, { record: K }> => record.record === kind,
  );
}

describe('a generated world', () => {
  it('is identical byte for byte for the same seed, and differs for another', () => {
    expect(digest(SMALL)).toBe(digest({ ...SMALL }));
    expect(digest(SMALL)).not.toBe(digest({ ...SMALL, seed: 'b' }));
  });

  it('does not change unnoticed between versions of Node.js or of this project', () => {
    expect(worldBuyerId('1', 0)).toBe('75bd30a8-8d5c-843e-9a0b-d453a283d9e8');
  });

  it('is a valid import file', () => {
    const problems: unknown[] = [];
    let number = 0;
    for (const text of worldText({ ...SMALL, buyers: 20 })) {
      for (const line of text.trimEnd().split('\n')) {
        number += 1;
        parseLine({ number, text: line }, Date.now(), (problem) => problems.push(problem));
      }
    }
    expect(number).toBe([...generateWorld({ ...SMALL, buyers: 20 })].length);
    expect(problems).toEqual([]);
  });

  it('has the requested sizes', () => {
    const options = { ...SMALL, sets: 3, rows: 7, singles: 2, ended: 4 };
    const checks = ofKind(options, 'priceCheck');
    const sets = ofKind(options, 'dealSet');
    expect(sets).toHaveLength(4 * (3 + 2));
    expect(sets.filter(({ endedAt }) => endedAt)).toHaveLength(4 * 2);
    expect(checks.filter(({ dealSetId }) => dealSetId)).toHaveLength(4 * 5 * 7);
    expect(checks.filter(({ dealSetId }) => !dealSetId)).toHaveLength(4 * (2 + 2));
  });

  it('has a cleared text for each draft and for most questions', () => {
    const options = { ...SMALL, buyers: 100 };
    for (const { body, bodyWhileHidden } of ofKind(options, 'draft')) {
      expect(bodyWhileHidden).toBe(body);
    }
    const questions = ofKind(options, 'question');
    const cleared = questions.filter(({ text, textWhileHidden }) => textWhileHidden === text);
    const without = questions.filter(({ textWhileHidden }) => textWhileHidden === null);
    expect(cleared.length + without.length).toBe(questions.length);
    expect(without.length).toBeGreaterThan(0);
    expect(without.length).toBeLessThan(questions.length / 4);
  });

  it('signs each buyer in with the cookie value that follows from its seed and number', () => {
    const sessions = ofKind(SMALL, 'session');
    sessions.forEach(({ buyerId, tokenSha256 }, index) => {
      expect(buyerId).toBe(worldBuyerId('a', index));
      expect(tokenSha256).toBe(createHash('sha256').update(worldCookie('a', index)).digest('hex'));
    });
    expect(sessions).toHaveLength(4);
  });

  it('is generated on demand: the first record of a vast world comes at once', () => {
    const first = generateWorld({ ...SMALL, buyers: 100_000_000 }).next();
    expect(first).toMatchObject({ value: { record: 'dealership' } });
  });
});
