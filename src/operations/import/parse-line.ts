import { parseIsoTime } from '../../kernel/iso-time.js';
import type { Line } from './line-splitter.js';
import { parseJson } from './parse-json.js';
import type { Problem } from './problems.js';
import { ALL_KINDS, checkRecord } from './record-kinds.js';
import type { FileRecord, PriceCheckRecord } from './record-types.js';
import type { BrokenRule } from './rules.js';

/** The format of an import file, as messages describe it. */
export const ONE_OBJECT_A_LINE = 'one JSON object on each line';
/**
 * How far a time at which the buyer acted may be ahead of the database's clock, in milliseconds,
 * because the supplier's clock may be ahead.
 */
const CLOCK_SKEW_MS = 60_000;

/**
 * Parses and checks one line of an import file.
 *
 * @param nowMs the database's time in milliseconds since 1970; the record's times are compared with
 *   it.
 * @param report called for each problem.
 * @returns the record, or null when a problem was reported.
 */
export function parseLine(
  line: Line,
  nowMs: number,
  report: (problem: Problem) => void,
): FileRecord | null {
  const reject = (reason: string, key?: string): null => {
    report({ line: line.number, ...(key === undefined ? {} : { key }), reason });
    return null;
  };
  if ('reason' in line) return reject(line.reason);

  let read: ReturnType<typeof parseJson>;
  try {
    read = parseJson(line.text);
  } catch (error) {
    if (error instanceof RangeError) return reject('must not be nested this deeply');
    if (line.text.includes('\0')) return reject('must not contain the character NUL');
    return reject(`must be valid JSON, ${ONE_OBJECT_A_LINE}`);
  }
  const { value, hasDoubledKey } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return reject(`must be a JSON object, ${ONE_OBJECT_A_LINE}`);
  }
  const { record, ...keys } = value as Readonly<Record<string, unknown>>;
  const kind = ALL_KINDS.find((known) => known === record);
  if (kind === undefined) return reject(`must be one of ${ALL_KINDS.join(', ')}`, 'record');
  if (hasDoubledKey) return reject('must not have a key twice');
  const sound = { record: kind, ...keys } as FileRecord;
  let broken = checkRecord(kind, keys);
  if (broken.length === 0) broken = contradictions(sound, nowMs);
  for (const { key, reason } of broken) reject(reason, `${kind}.${key}`);
  return broken.length === 0 ? sound : null;
}

/**
 * Checks the rules that relate several keys, or a time and the clock, in a record whose keys are
 * valid by themselves. Returns at most one broken rule: the first.
 */
function contradictions(record: FileRecord, nowMs: number): BrokenRule[] {
  const isAfter = (time: string | null | undefined, limitMs: number): boolean =>
    (parseIsoTime(time ?? '') ?? -Infinity) > limitMs;
  const broken = (key: string, reason: string): BrokenRule[] => [{ key, reason }];
  const skewed = "must not be more than 60 s ahead of the database's clock";
  if (record.record === 'grant') {
    return isAfter(record.grantedAt, nowMs + CLOCK_SKEW_MS) ? broken('grantedAt', skewed) : [];
  }
  if (record.record !== 'dealSet' && record.record !== 'priceCheck') return [];
  const keys: Partial<PriceCheckRecord> = record.record === 'priceCheck' ? record : {};
  const { unlockedAt, chosenAt, ended, endedAt, price, answer } = keys;
  const isWritten = typeof price?.writtenAt === 'string';
  const future = 'must not be in the future';
  if (isAfter(record.latestActivityAt, nowMs)) return broken('latestActivityAt', future);
  if (isAfter(record.recordedAt, nowMs)) return broken('recordedAt', future);
  if (isAfter(unlockedAt, nowMs + CLOCK_SKEW_MS)) return broken('unlockedAt', skewed);
  if (isAfter(chosenAt, nowMs + CLOCK_SKEW_MS)) return broken('chosenAt', skewed);
  if (typeof endedAt === 'string' && typeof ended !== 'string') {
    return broken('endedAt', 'requires `ended`, which states how the price check ended');
  }
  if (ended === 'closed_with_price' && !isWritten) {
    return broken('ended', 'is closed_with_price without a price in writing (`writtenAt`)');
  }
  if (ended === 'no_price' && isWritten && answer !== 'different_car') {
    return broken('ended', 'is no_price although there is a price in writing for the same car');
  }
  return [];
}

/**
 * Returns whether the first line of a file shows that its JSON does not have one object on each
 * line.
 */
export function isPrettyPrinted(line: Line): boolean {
  return 'text' in line && /^\s*(?:\{\s*$|\[)/.test(line.text);
}
