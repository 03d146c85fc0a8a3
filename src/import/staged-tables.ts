import type { ClientBase } from 'pg';
import { RECORD_KINDS, RULES, THREAD_KINDS, type RecordKind } from './record-kinds.js';
import type { Rules } from './rules.js';

/** A column of a record's table. */
export interface StagedColumn {
  readonly name: string;
  /** PostgreSQL's name of it. */
  readonly type: string;
  /** The keys under which it is in the record; none: it is found otherwise. */
  readonly path: readonly string[];
  /** SQL: its value in the `record` of a line, which is `jsonb`. */
  readonly value: string;
  readonly isAside: boolean;
}

/** Where a kind's records are stored, and where they wait to be checked and merged. */
export interface StagedTable {
  readonly table: string;
  /** The temporary table: all columns, and `line`, the record's line in the file. */
  readonly staging: string;
  /** What identifies a row. */
  readonly key: readonly string[];
  /** The columns of the table. */
  readonly columns: readonly StagedColumn[];
  /** Columns of the temporary table alone. */
  readonly aside: readonly StagedColumn[];
}

function staged(kind: RecordKind, table: string): StagedTable {
  const own = columnsOf(RULES[kind]);
  const isThread = THREAD_KINDS.some((thread) => thread === kind);
  const buyer = { name: 'buyer_id', type: 'uuid', path: [], value: 'NULL::uuid', isAside: false };
  const columns = isThread ? [buyer, ...own] : own;
  return {
    table,
    staging: `staged_${table}`,
    key: columns.some(({ name }) => name === 'buyer_id') ? ['buyer_id', 'id'] : ['id'],
    columns: columns.filter(({ isAside }) => !isAside),
    aside: columns.filter(({ isAside }) => isAside),
  };
}

function columnsOf(rules: Rules, prefix = '', parents: readonly string[] = []): StagedColumn[] {
  return Object.entries(rules).flatMap(([key, rule]) => {
    const path = [...parents, key];
    if (rule.part) return columnsOf(rule.part.rules, rule.part.prefix, path);
    const { type, absent, isAside = false } = rule;
    const snake = key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const name = rule.column === undefined ? prefix + snake : rule.column;
    if (name === null) return [];
    const value = valueOf(`'{${path.join(',')}}'`, type);
    return { name, type, path, isAside, value: absent ? `coalesce(${value}, ${absent})` : value };
  });
}

function valueOf(path: string, type: string): string {
  if (type === 'bytea') return `decode(record #>> ${path}, 'hex')`;
  if (type === 'text[]') return `ARRAY(SELECT jsonb_array_elements_text(record #> ${path}))`;
  return `(record #>> ${path})::${type}`;
}

export const STAGED_TABLES: Readonly<Record<RecordKind, StagedTable>> = {
  buyer: staged('buyer', 'buyer'),
  dealership: staged('dealership', 'dealership'),
  session: staged('session', 'buyer_session'),
  grant: staged('grant', 'assistant_grant'),
  dealSet: staged('dealSet', 'deal_set'),
  priceCheck: staged('priceCheck', 'price_check'),
  question: staged('question', 'question'),
  draft: staged('draft', 'draft'),
  reply: staged('reply', 'reply'),
};

/** Spreads the records of `staged` to a temporary table for each kind, analyzed for the planner. */
export async function spread(client: ClientBase): Promise<void> {
  for (const kind of RECORD_KINDS) {
    const { staging, columns, aside } = STAGED_TABLES[kind];
    const values = [...columns, ...aside].map(({ name, value }) => `${value} AS ${name}`);
    await client.query(
      `CREATE TEMPORARY TABLE ${staging} ON COMMIT DROP AS
       SELECT line, ${values.join(', ')} FROM staged WHERE kind = '${kind}'`,
    );
    await client.query(`ANALYZE ${staging}`);
  }
  await client.query(
    `CREATE TEMPORARY TABLE staged_erased_buyer ON COMMIT DROP AS
     SELECT line, decode(record ->> 'idSha256', 'hex') AS id_sha256 FROM staged WHERE kind = 'erasedBuyer'`,
  );
  await client.query('DROP TABLE staged');
}
