import { parseIsoTime } from '../kernel/iso-time.js';
import type { Line } from './line-splitter.js';
import type { Problem } from './problems.js';
import { RecordChecker } from './record-checker.js';
import {
  isRecordKind,
  RECORD_CLASSES,
  RECORD_KINDS,
  type ImportRecord,
  type RecordKind,
} from './records/record-kinds.js';

const checkers = new Map<RecordKind, RecordChecker>();

function checkerOf(kind: RecordKind): RecordChecker {
  let checker = checkers.get(kind);
  if (!checker) {
    checker = new RecordChecker(RECORD_CLASSES[kind]);
    checkers.set(kind, checker);
  }
  return checker;
}

/**
 * Reads one line of an import file.
 *
 * @param nowMs the import's time, epoch milliseconds: no `latestActivityAt` lies after it.
 * @param report called for everything that is wrong.
 * @returns the record, or null when something was reported.
 */
export function parseLine(
  line: Line,
  nowMs: number,
  report: (problem: Problem) => void,
): ImportRecord | null {
  const number = line.number;
  const refuse = (reason: string, key?: string): null => {
    report(key === undefined ? { line: number, reason } : { line: number, key, reason });
    return null;
  };
  if ('reason' in line) return refuse(line.reason);

  let value: unknown;
  try {
    value = JSON.parse(line.text);
  } catch {
    return refuse('must be valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse('must be a JSON object');
  }
  const kind = Object.hasOwn(value, 'record') ? (value as { record: unknown }).record : undefined;
  if (!isRecordKind(kind)) return refuse(`must be one of ${RECORD_KINDS.join(', ')}`, 'record');

  const isSound = checkerOf(kind).check(
    value,
    (path, reason) => refuse(reason, `${kind}.${path}`),
    'record',
  );
  if (!isSound) return null;

  const record = value as ImportRecord;
  if ('latestActivityAt' in record && typeof record.latestActivityAt === 'string') {
    if ((parseIsoTime(record.latestActivityAt) ?? 0) > nowMs) {
      return refuse('must not lie in the future', `${kind}.latestActivityAt`);
    }
  }
  return record;
}
