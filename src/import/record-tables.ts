import type { ClientBase } from 'pg';
import {
  ALL_RULES,
  RECORD_KINDS,
  THREAD_KINDS,
  type FurtherRecord,
  type ImportRecord,
  type RecordKind,
} from './record-kinds.js';
import type { Rule, Rules } from './rules.js';

/** The kinds of records that are stored. */
export type TableKind = RecordKind | 'erasedBuyer';
type Values = Record<string, unknown>;

/** A key of a record that is stored. */
interface StoredKey {
  /** Of its column. */
  readonly name: string;
  /** The key; of one within an object, after that object's. */
  readonly path: readonly [key: string, inner?: string];
  readonly rule: Rule<unknown>;
  /** The object that holds it must be in the record, empty or not. */
  readonly isOfRequiredPart: boolean;
}

/** Where a kind's records are stored, and where they wait to be checked and merged. */
interface RecordTable {
  readonly table: string;
  /** The temporary table: all columns of the table, and `line`, the record's line in the file. */
  readonly staging: string;
  /** What identifies a row. */
  readonly key: readonly string[];
  /** The columns that a record gives. */
  readonly columns: readonly string[];
  readonly storedKeys: readonly StoredKey[];
}

function recordTable(kind: TableKind, table: string): RecordTable {
  const storedKeys = storedKeysOf(ALL_RULES[kind]);
  const own = storedKeys.flatMap(({ name, rule }) => (rule.isAside ? [] : [name]));
  const isThread = THREAD_KINDS.some((thread) => thread === kind);
  const columns = isThread ? ['buyer_id', ...own] : own;
  const key = ['buyer_id', 'id'].filter((name) => columns.includes(name));
  return {
    table,
    staging: `staged_${table}`,
    key: key.length > 0 ? key : columns,
    columns,
    storedKeys,
  };
}

function storedKeysOf(rules: Rules, prefix = '', parent?: string, isRequired = false): StoredKey[] {
  return Object.entries(rules).flatMap(([key, rule]) => {
    if (rule.part) {
      return storedKeysOf(rule.part.rules, rule.part.prefix, key, !('isNullable' in rule));
    }
    if (rule.column === null) return [];
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const path: StoredKey['path'] = parent === undefined ? [key] : [parent, key];
    return [{ name: rule.column ?? prefix + snake, path, rule, isOfRequiredPart: isRequired }];
  });
}

export const RECORD_TABLES: Readonly<Record<TableKind, RecordTable>> = {
  buyer: recordTable('buyer', 'buyer'),
  dealership: recordTable('dealership', 'dealership'),
  session: recordTable('session', 'buyer_session'),
  grant: recordTable('grant', 'assistant_grant'),
  dealSet: recordTable('dealSet', 'deal_set'),
  priceCheck: recordTable('priceCheck', 'price_check'),
  question: recordTable('question', 'question'),
  draft: recordTable('draft', 'draft'),
  reply: recordTable('reply', 'reply'),
  erasedBuyer: recordTable('erasedBuyer', 'erased_buyer'),
};

/** A record as the row of its table, in the JSON that PostgreSQL reads (`jsonb_populate_record`). */
export function rowOf({ record: kind, ...keys }: ImportRecord | FurtherRecord): Values {
  const row: Values = {};
  if (kind === 'end') return row;
  for (const { name, path, rule } of RECORD_TABLES[kind].storedKeys) {
    const [key, inner] = path;
    const given = (keys as Values)[key];
    const value = inner === undefined ? given : (given as Values | null | undefined)?.[inner];
    if (typeof value === 'string' && rule.form) row[name] = rule.form.toRow(value);
    else row[name] = value ?? rule.absent;
  }
  return row;
}

/** The record of a row, which is PostgreSQL's JSON of it, in UTC: what `rowOf` made of a record is that record. */
export function recordOf(kind: TableKind, row: Readonly<Values>): Values {
  const record: Values = { record: kind };
  for (const { name, path, rule, isOfRequiredPart } of RECORD_TABLES[kind].storedKeys) {
    const [key, inner] = path;
    const stored = row[name] ?? undefined;
    if (isOfRequiredPart) record[key] ??= {};
    if (stored === undefined) continue;
    const holder = inner === undefined ? record : ((record[key] ??= {}) as Values);
    holder[inner ?? key] =
      typeof stored === 'string' && rule.form ? rule.form.fromRow(stored) : stored;
  }
  return record;
}

/** Spreads the rows of `staged` to a temporary table for each kind, analyzed for the planner. */
export async function spread(client: ClientBase): Promise<void> {
  for (const kind of [...RECORD_KINDS, 'erasedBuyer'] as const) {
    const { table, staging } = RECORD_TABLES[kind];
    await client.query(
      `CREATE TEMPORARY TABLE ${staging} ON COMMIT DROP AS
       SELECT s.line, coalesce(s.row ->> 'latest_activity_at', s.row ->> 'recorded_at')::timestamptz AS placed_at,
         s.row ? 'latest_activity_at' AS is_time_known, r.*
       FROM staged s, jsonb_populate_record(NULL::public.${table}, s.row) r WHERE s.kind = '${kind}'`,
    );
    await client.query(`ANALYZE ${staging}`);
  }
  await client.query('DROP TABLE staged');
}
