import type { Line } from './line-splitter.js';
import { hasDoubledKey, parseJson } from './parse-json.js';
import type { Problem } from './problems.js';
import { recordProblem } from './record-problem.js';
import {
  checkRecord,
  isRecordKind,
  FURTHER_KINDS,
  RECORD_KINDS,
  type FurtherRecord,
  type ImportRecord,
} from './records/record-kinds.js';
import { printable, type BrokenRule } from './records/rules.js';

export const ONE_OBJECT_A_LINE = 'one JSON object on each line';

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
): ImportRecord | FurtherRecord | null {
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
  const isFurther = (one: unknown): one is FurtherRecord['record'] =>
    FURTHER_KINDS.some((known) => known === one);
  if (!isFurther(kind) && !isRecordKind(kind)) {
    return refuse(`must be one of ${[...RECORD_KINDS, ...FURTHER_KINDS].join(', ')}`, 'record');
  }
  const { record: _kind, ...keys } = value as Readonly<Record<string, unknown>>;
  let broken: readonly BrokenRule[];
  try {
    if (hasDoubledKey(line.text, value)) return refuse('must not have a key twice');
    const unstorable = UNSTORABLE_ESCAPE.test(line.text) ? unstorableTexts(keys, '') : [];
    broken = unstorable.length > 0 ? unstorable : checkRecord(kind, keys);
  } catch (error) {
    if (error instanceof RangeError) return refuse('must not be nested so deeply');
    throw error;
  }
  for (const { key, reason } of broken) refuse(reason, `${kind}.${key}`);
  if (broken.length > 0) return null;
  if (isFurther(kind)) return { record: kind, ...keys } as FurtherRecord;

  const record = { record: kind, ...keys } as ImportRecord;
  const problem = recordProblem(record, nowMs);
  return problem ? refuse(problem.reason, `${kind}.${problem.key}`) : record;
}

/** What PostgreSQL cannot store of a text; in a file of valid UTF-8 it can only be written as an escape. */
const UNSTORABLE_ESCAPE = /\\u(?:0000|d[89a-f])/i;
const LONE_SURROGATE = /\p{Surrogate}/u;

function unstorableTexts(value: object, path: string): BrokenRule[] {
  return Object.entries(value).flatMap(([name, member]: [string, unknown]) => {
    const key = Array.isArray(value) ? path : path + (path && '.') + printable(name);
    if (typeof member === 'object' && member !== null) return unstorableTexts(member, key);
    const reason = typeof member === 'string' ? unstorable(member) : undefined;
    return reason === undefined ? [] : [{ key, reason }];
  });
}

function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'must not contain the character NUL (\\u0000)';
  if (LONE_SURROGATE.test(text)) return 'must not contain a lone surrogate (half of a character)';
  return undefined;
}

/** Whether a line is the beginning of a file that is JSON, but not one object on each line. */
export function isPrettyPrinted(line: Line): boolean {
  return 'text' in line && /^\s*(?:\{\s*$|\[)/.test(line.text);
}
