import type { ClientBase } from 'pg';
import {
  AssistantGrant,
  Buyer,
  BuyerSession,
  DealSet,
  Dealership,
  Draft,
  PriceCheck,
  Question,
  Reply,
} from '../../database/entities.js';
import {
  RECORD_KINDS,
  type FurtherRecord,
  type ImportRecord,
  type RecordKind,
} from '../records/record-kinds.js';
import { stagedTable, timeAside, type StagedTable } from './staged-table.js';

/** A thread's records do not name their buyer: she is found through the price check. */
const OF_THREAD = { paths: { buyerId: null } };
/** The place of a request in the feed. */
const PLACE = [
  timeAside('latest_activity_at', 'latestActivityAt'),
  timeAside('recorded_at', 'recordedAt'),
];

/**
 * Every kind of record with its table: each property of the entity that is inserted has its value in the record.
 * Names and types of the columns are the entity's. The order is that of the foreign keys.
 */
export const STAGED_TABLES: Readonly<Record<RecordKind, StagedTable>> = {
  buyer: stagedTable(Buyer),
  dealership: stagedTable(Dealership),
  session: stagedTable(BuyerSession),
  grant: stagedTable(AssistantGrant, { paths: { isHosted: 'hosted' } }),
  dealSet: stagedTable(DealSet, { parts: ['car'], aside: PLACE }),
  priceCheck: stagedTable(PriceCheck, {
    parts: ['listing'],
    paths: {
      otdCents: 'price.otdCents',
      sellingPriceCents: 'price.sellingPriceCents',
      writtenAt: 'price.writtenAt',
    },
    aside: PLACE,
  }),
  question: stagedTable(Question, OF_THREAD),
  draft: stagedTable(Draft, OF_THREAD),
  // Triggers keep it; of a backfill they take it.
  reply: stagedTable(Reply, { ...OF_THREAD, aside: [timeAside('feed_at', 'arrivedAt')] }),
};

/** Makes the temporary table that takes the records as they are; it goes with the transaction. */
export async function createStaged(client: ClientBase): Promise<void> {
  await client.query(
    'CREATE TEMPORARY TABLE staged (line integer, kind text, record jsonb) ON COMMIT DROP',
  );
}

/** A record as COPY's text form has it: a row of `staged`. */
export function stagedRow(line: number, record: ImportRecord | FurtherRecord): string {
  // JSON escapes what COPY gives a meaning to, but for the backslash itself.
  return `${line}\t${record.record}\t${JSON.stringify(record).replaceAll('\\', '\\\\')}\n`;
}

/** Gives each kind of record a temporary table with the columns of its own, analyzed for the planner. */
export async function spreadStaged(client: ClientBase): Promise<void> {
  for (const kind of RECORD_KINDS) {
    const { staging, columns, aside } = STAGED_TABLES[kind];
    const values = [...columns, ...aside].map(({ name, value }) => `${value} AS ${name}`);
    await client.query(
      `CREATE TEMPORARY TABLE ${staging} ON COMMIT DROP AS
       SELECT line, ${values.join(', ')} FROM staged WHERE kind = '${kind}'`,
    );
    await client.query(`ANALYZE ${staging}`);
  }
  await client.query('DROP TABLE staged');
}
