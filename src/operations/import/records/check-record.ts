import { z } from 'zod';
import { parseIsoTime } from '../../../kernel/iso-time.js';
import { printable, type Problem } from './problems.js';
import { ALL_KINDS, RECORDS, type FileKind, type FileRecord } from './records.js';
import { withoutNull, type ObjectSchema } from './values.js';

/** A broken rule; `key` is the path within the record, such as `price.otdCents`. */
export type BrokenRule = Required<Pick<Problem, 'key' | 'reason'>>;

type LineSchema = z.ZodObject<z.core.$ZodShape & { record: z.ZodLiteral<FileKind> }>;

/** The schema of a line of each kind: its record with the key that names the kind. */
const LINES = Object.fromEntries(
  ALL_KINDS.map((kind) => {
    const schema: z.ZodObject = RECORDS[kind];
    return [kind, schema.safeExtend({ record: z.literal(kind) })];
  }),
) as unknown as Readonly<Record<FileKind, LineSchema>>;

/**
 * Returns the JSON Schema (draft 7) of a line as text. Rules that relate several keys or several
 * records are not in it.
 */
export function lineSchemaText(): string {
  const [first, ...others] = ALL_KINDS.map((kind) => LINES[kind]) as [LineSchema, ...LineSchema[]];
  const line = z
    .discriminatedUnion('record', [first, ...others])
    .meta({ title: 'A line of an import file of Deal Sets' });
  return JSON.stringify(z.toJSONSchema(line, { target: 'draft-7' }), null, 2);
}

/**
 * How far a time at which the buyer acted may be ahead of the database's clock, in milliseconds,
 * because the supplier's clock may be ahead.
 */
const CLOCK_SKEW_MS = 60_000;
/** How far each time may be ahead of the database's clock. Other times have no limit. */
const LATEST: Partial<Record<FileKind, readonly (readonly [key: string, aheadMs: number])[]>> = {
  grant: [['grantedAt', CLOCK_SKEW_MS]],
  dealSet: [
    ['latestActivityAt', 0],
    ['recordedAt', 0],
  ],
  priceCheck: [
    ['latestActivityAt', 0],
    ['recordedAt', 0],
    ['unlockedAt', CLOCK_SKEW_MS],
    ['chosenAt', CLOCK_SKEW_MS],
  ],
};

/**
 * Checks a record by the schema of its kind, then compares its times with the clock.
 *
 * @param nowMs the database's time in milliseconds since 1970.
 * @returns the first broken rule of each key.
 */
export function checkRecord(kind: FileKind, record: object, nowMs: number): readonly BrokenRule[] {
  const { data, error } = LINES[kind].safeParse(record);
  if (!error) return [...timesAhead(data as FileRecord, nowMs)];
  const broken = new Map<string, BrokenRule>();
  for (const rule of error.issues.flatMap((issue) => rulesOf(kind, issue))) {
    if (!broken.has(rule.key)) broken.set(rule.key, rule);
  }
  return [...broken.values()];
}

function* timesAhead(record: FileRecord, nowMs: number): Generator<BrokenRule> {
  for (const [key, aheadMs] of LATEST[record.record] ?? []) {
    const time = (record as Readonly<Record<string, unknown>>)[key];
    if (typeof time !== 'string' || (parseIsoTime(time) ?? 0) <= nowMs + aheadMs) continue;
    const reason =
      aheadMs === 0
        ? 'must not be in the future'
        : `must not be more than ${aheadMs / 1_000} s ahead of the database's clock`;
    yield { key, reason };
  }
}

function rulesOf(kind: FileKind, issue: z.core.$ZodIssue): BrokenRule[] {
  // An item of a list is reported under the list's key.
  const path = issue.path.filter((name) => typeof name === 'string');
  if (issue.code !== 'unrecognized_keys') {
    return [{ key: path.join('.'), reason: issue.message }];
  }
  const known = keysAt(kind, path);
  return issue.keys.map((unknown) => {
    const name = printable(unknown);
    // Quotes show a blank or a dot in the name.
    const key = [...path, /^\w+$/.test(name) ? name : JSON.stringify(name)].join('.');
    const meant = known.find((candidate) => plain(candidate) === plain(unknown));
    const suggestion = meant === undefined ? '' : `: write ${meant}`;
    return { key, reason: `is not a key of this record${suggestion}` };
  });
}

/** Returns the keys of a record, or those of the object in it to which the path leads. */
function keysAt(kind: FileKind, path: readonly string[]): readonly string[] {
  let schema: z.core.$ZodType | undefined = LINES[kind];
  for (const name of path) schema = (withoutNull(schema) as ObjectSchema).shape[name];
  return Object.keys((withoutNull(schema) as ObjectSchema).shape);
}

/** A key without what distinguishes `createdat`, `created_at` and `createdAt`. */
const plain = (key: string): string => key.replace(/[^a-z0-9]/gi, '').toLowerCase();
