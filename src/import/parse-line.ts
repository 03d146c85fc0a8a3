import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import type { Line } from './line-splitter.js';
import { hasDoubledKey, parseJson } from './parse-json.js';
import type { Problem } from './problems.js';
import { recordProblem, type RecordProblem } from './record-problem.js';
import {
  EndRecord,
  isRecordKind,
  RECORD_CLASSES,
  RECORD_KINDS,
  type ImportRecord,
} from './records/record-kinds.js';

const END = 'end';

/** The optional last line of a file. */
export type EndLine = { readonly record: typeof END } & EndRecord;

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
  let checked: CheckedRecord;
  try {
    if (hasDoubledKey(line.text, value)) return refuse('must not have a key twice');
    checked = checkRecord(kind === END ? EndRecord : RECORD_CLASSES[kind], { ...value });
  } catch (error) {
    if (error instanceof RangeError) return refuse('must not be nested so deeply');
    throw error;
  }
  for (const { key, reason } of checked.problems) refuse(reason, `${kind}.${key}`);
  if (checked.problems.length > 0) return null;
  if (kind === END) return { record: kind, ...(checked.record as EndRecord) };

  const record = { record: kind, ...checked.record } as ImportRecord;
  const problem = recordProblem(record, nowMs);
  return problem ? refuse(problem.reason, `${kind}.${problem.key}`) : record;
}

interface CheckedRecord {
  readonly record: object;
  readonly problems: readonly RecordProblem[];
}

/** @throws {RangeError} when the value is nested beyond what the stack holds. */
function checkRecord(
  recordClass: new () => object,
  { record: _kind, ...keys }: Readonly<Record<string, unknown>>,
): CheckedRecord {
  const record = plainToInstance(recordClass, keys);
  const errors = validateSync(record, STRICT);
  return {
    record,
    problems: [...inheritedKeys(keys, ''), ...errors.flatMap((error) => problemsOf(error, ''))],
  };
}

/** Every key needs a declaration; of what is wrong with a key the first reason is given. */
const STRICT = { whitelist: true, forbidNonWhitelisted: true, stopAtFirstError: true };

/** Keys such as `__proto__` and `toString`, which class-transformer passes over in silence. */
function inheritedKeys(value: object, path: string): RecordProblem[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => [
    ...(key in Object.prototype ? [{ key: path + key, reason: NO_KEY }] : []),
    ...(typeof member === 'object' && member !== null
      ? inheritedKeys(member, `${path}${printable(key)}.`)
      : []),
  ]);
}

const NO_KEY = 'is not a key of this record';

function problemsOf(error: ValidationError, path: string): RecordProblem[] {
  const { property, constraints, children = [] } = error;
  const key = path + printable(property);
  if (constraints?.['whitelistValidation'] !== undefined) return [{ key, reason: NO_KEY }];
  const [reason] = Object.values(constraints ?? {});
  if (reason !== undefined)
    return [{ key, reason: error.value === undefined ? 'is missing' : reason }];
  return children.flatMap((child) => problemsOf(child, `${key}.`));
}

/** A key from the file, short and without what a terminal would act on. */
function printable(key: string): string {
  const plain = key.replace(/[^\x21-\x7e]/g, '?');
  return plain.length > 64 ? `${plain.slice(0, 64)}…` : plain;
}

/** Whether a line is the beginning of a file that is JSON, but not one object on each line. */
export function isPrettyPrinted(line: Line): boolean {
  return 'text' in line && /^\s*(?:\{\s*$|\[)/.test(line.text);
}
