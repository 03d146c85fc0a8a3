import { checkRecord } from '../records/check-record.js';
import type { Line } from './line-splitter.js';
import { printable, type Problem } from '../records/problems.js';
import { ALL_KINDS, type FileRecord } from '../records/records.js';
import { repeatedKey } from './repeated-key.js';

/** The format of an import file, as messages describe it. */
export const ONE_OBJECT_A_LINE = 'one JSON object on each line';

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
    // The message of the exception repeats the text, and differs between versions of Node.
    return reject({ reason: `must be valid JSON, ${ONE_OBJECT_A_LINE}` });
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
  const broken = checkRecord(kind, record, nowMs);
  for (const { key, reason } of broken) reject({ key: `${kind}.${key}`, reason });
  return broken.length === 0 ? (record as FileRecord) : null;
}

/**
 * Returns whether the first line of a file shows that its JSON does not have one object on each
 * line.
 */
export function isPrettyPrinted(line: Line): boolean {
  return 'text' in line && /^\s*(?:\{\s*$|\[)/.test(line.text);
}
