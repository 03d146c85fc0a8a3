import { parseIsoTime } from '../kernel/iso-time.js';
import type { ImportRecord, RecordTypes } from './records/record-kinds.js';

/** A rule between the keys of a record, or between a time and the clock, that the record breaks. */
export interface RecordProblem {
  readonly key: string;
  readonly reason: string;
}

/** How far the supplier's clock may be ahead of the database's where the buyer acted. */
const CLOCK_SKEW_MS = 60_000;

/**
 * Checks what no rule of a single key can.
 *
 * @param record sound in each of its keys.
 * @param nowMs the database's time, epoch milliseconds.
 * @returns the first problem; undefined when there is none.
 */
export function recordProblem(record: ImportRecord, nowMs: number): RecordProblem | undefined {
  if (record.record !== 'dealSet' && record.record !== 'priceCheck') return undefined;
  for (const key of ['latestActivityAt', 'recordedAt'] as const) {
    if (isAfter(record[key], nowMs)) return { key, reason: 'must not lie in the future' };
  }
  return record.record === 'priceCheck' ? priceCheckProblem(record, nowMs) : undefined;
}

function priceCheckProblem(
  check: RecordTypes['priceCheck'],
  nowMs: number,
): RecordProblem | undefined {
  for (const key of ['unlockedAt', 'chosenAt'] as const) {
    if (isAfter(check[key], nowMs + CLOCK_SKEW_MS)) {
      return { key, reason: "must not lie more than 60 s after the database's clock" };
    }
  }
  const ended = check.ended ?? null;
  if (ended === null && (check.endedAt ?? null) !== null) {
    return { key: 'endedAt', reason: 'needs `ended`, which says how the price check ended' };
  }
  const isWritten = (check.price?.writtenAt ?? null) !== null;
  if (ended === 'closed_with_price' && !isWritten) {
    return {
      key: 'ended',
      reason: 'is closed_with_price without a price in writing (`writtenAt`)',
    };
  }
  if (ended === 'no_price' && isWritten && check.answer !== 'different_car') {
    return { key: 'ended', reason: 'is no_price beside a price in writing for the same car' };
  }
  return undefined;
}

function isAfter(time: string | null | undefined, limitMs: number): boolean {
  return typeof time === 'string' && (parseIsoTime(time) ?? 0) > limitMs;
}
