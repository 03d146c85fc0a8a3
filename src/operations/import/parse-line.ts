import { parseIsoTime } from '../../kernel/iso-time.js';
import type { Line } from './line-splitter.js';
import { repeatedKey, syntaxMistake } from './json-mistakes.js';
import { printable, type Problem } from './problems.js';
import { checkRecord, type BrokenRule } from './record-schema.js';
import { ALL_KINDS, type FileRecord, type RecordTypes } from './records.js';

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
  const reject = (problem: Omit<Problem, 'line'>): null => {
    report({ line: line.number, ...problem });
    return null;
  };
  if ('reason' in line) return reject({ reason: line.reason });

  let record: unknown;
  try {
    record = JSON.parse(line.text);
  } catch {
    if (line.text.includes('\0')) return reject({ reason: 'must not contain the character NUL' });
    const reason = `must be valid JSON, ${ONE_OBJECT_A_LINE}`;
    return reject({ reason, detail: syntaxMistake(line.text) });
  }
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    return reject({ reason: `must be a JSON object, ${ONE_OBJECT_A_LINE}` });
  }
  const kind = ALL_KINDS.find((known) => known === (record as { record?: unknown }).record);
  if (kind === undefined) {
    return reject({ key: 'record', reason: `must be one of ${ALL_KINDS.join(', ')}` });
  }
  const repeated = repeatedKey(line.text);
  if (repeated !== undefined) {
    return reject({ reason: 'must not have a key twice', detail: printable(repeated) });
  }
  let broken = checkRecord(kind, record);
  if (broken.length === 0) broken = contradictions(record as FileRecord, nowMs);
  for (const { key, reason } of broken) reject({ key: `${kind}.${key}`, reason });
  return broken.length === 0 ? (record as FileRecord) : null;
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
  for (const key of ['latestActivityAt', 'recordedAt', 'arrivedAt', 'receivedAt'] as const) {
    const time = (record as Partial<Record<typeof key, string | null>>)[key];
    if (typeof time === 'string' && !isAfter(time, 0)) {
      return broken(key, 'must be after 1970-01-01T00:00:00Z: leave out an unknown time');
    }
  }
  if (record.record !== 'dealSet' && record.record !== 'priceCheck') return [];
  const keys: Partial<RecordTypes['priceCheck']> = record.record === 'priceCheck' ? record : {};
  const { dealSetId, unlockedAt, chosenAt, ended, endedAt, price, answer } = keys;
  const isWritten = typeof price?.writtenAt === 'string';
  const future = 'must not be in the future';
  for (const key of ['latestActivityAt', 'recordedAt'] as const) {
    if (typeof dealSetId === 'string' && typeof record[key] === 'string') {
      return broken(key, `must be absent beside \`dealSetId\`: the deal set's record has this key`);
    }
  }
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
