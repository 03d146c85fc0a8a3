import type { Line } from './line-splitter.js';
import { parseJson } from './parse-json.js';
import type { Problem } from './problems.js';
import { RecordChecker } from './record-checker.js';
import { recordProblem } from './record-problem.js';
import {
  EndRecord,
  isRecordKind,
  RECORD_CLASSES,
  RECORD_KINDS,
  type ImportRecord,
  type RecordKind,
} from './records/record-kinds.js';

const END = 'end';

/** The optional last line of a file. */
export type EndLine = { readonly record: typeof END } & EndRecord;

export const ONE_OBJECT_A_LINE = 'one JSON object on each line';

const checkers = new Map<RecordKind | 'end', RecordChecker>();

function checkerOf(kind: RecordKind | 'end'): RecordChecker {
  let checker = checkers.get(kind);
  if (!checker) {
    checker = new RecordChecker(kind === END ? EndRecord : RECORD_CLASSES[kind]);
    checkers.set(kind, checker);
  }
  return checker;
}

/**
 * Reads one line of an import file.
 *
 * @param nowMs the database's time, epoch milliseconds: the record's times are compared with it.
 * @param report called for everything that is wrong.
 * @returns the record, or null when something was reported.
 */
export function parseLine(
  line: Line,
  nowMs: number,
  report: (problem: Problem) => void,
): ImportRecord | EndLine | null {
  const number = line.number;
  const refuse = (reason: string, key?: string): null => {
    report(key === undefined ? { line: number, reason } : { line: number, key, reason });
    return null;
  };
  if ('reason' in line) return refuse(line.reason);

  let value: unknown;
  try {
    value = parseJson(line.text);
  } catch {
    return refuse(
      line.text.includes('\0')
        ? 'must not contain the character NUL'
        : `must be valid JSON, ${ONE_OBJECT_A_LINE}`,
    );
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return refuse(`must be a JSON object, ${ONE_OBJECT_A_LINE}`);
  }
  const kind = Object.hasOwn(value, 'record') ? (value as { record: unknown }).record : undefined;
  if (kind !== END && !isRecordKind(kind)) {
    return refuse(`must be one of ${[...RECORD_KINDS, END].join(', ')}`, 'record');
  }
  const isSound = checkerOf(kind).check(
    value,
    (path, reason) => refuse(reason, `${kind}.${path}`),
    'record',
  );
  if (!isSound) return null;
  if (kind === END) return value as EndLine;

  const record = value as ImportRecord;
  const problem = recordProblem(record, nowMs);
  return problem ? refuse(problem.reason, `${kind}.${problem.key}`) : record;
}

/** Whether a line is the beginning of a file that is JSON, but not one object on each line. */
export function isPrettyPrinted(line: Line): boolean {
  return 'text' in line && /^\s*(?:\{\s*$|\[)/.test(line.text);
}
