import type { ClientBase } from 'pg';

/**
 * The stored rows that an import compares its file with.
 *
 * On one PostgreSQL they are the tables. Of a distributed database the coordinator cannot join its temporary tables
 * with parts of tables on workers: there the rows that the file is about are copied to temporary tables of the same
 * names, which an unqualified name finds first. So a statement of the import that reads names a table without its
 * schema, and one that writes names it with `public`.
 */
export interface StoredRows {
  /** Before the checks: everything that has an id of the file. */
  take(client: ClientBase): Promise<void>;
  /** Before tokens of questions are compared: the dealerships of their requests. */
  takeMembers(client: ClientBase): Promise<void>;
  /** Before times are compared: the feeds of the file's buyers. */
  takeFeeds(client: ClientBase): Promise<void>;
}

/** Reads the tables themselves. */
export const STORED_TABLES: StoredRows = {
  take: () => Promise.resolve(),
  takeMembers: () => Promise.resolve(),
  takeFeeds: () => Promise.resolve(),
};

const BUYERS = `SELECT buyer_id FROM staged_buyer_session UNION SELECT buyer_id FROM staged_assistant_grant
  UNION SELECT buyer_id FROM staged_deal_set UNION SELECT buyer_id FROM staged_price_check`;
const DEALERSHIPS =
  'SELECT id FROM staged_dealership UNION SELECT dealership_id FROM staged_price_check';
const FEED = [
  'request_feed',
  'buyer_id, request_id, kind, feed_at, is_pending',
  `buyer_id IN (SELECT buyer_id FROM staged_deal_set UNION SELECT buyer_id FROM staged_price_check)`,
] as const;

/** Table, columns and which rows. */
const FILE_ROWS: readonly (readonly [table: string, columns: string, condition: string])[] = [
  ['buyer', '*', `id IN (SELECT id FROM staged_buyer UNION ${BUYERS})`],
  ['dealership', '*', `id IN (${DEALERSHIPS})`],
  [
    'assistant_grant',
    '*',
    `id IN (SELECT id FROM staged_assistant_grant) OR buyer_id IN (SELECT buyer_id FROM staged_assistant_grant)`,
  ],
  [
    'deal_set',
    '*',
    `id IN (SELECT id FROM staged_deal_set UNION SELECT deal_set_id FROM staged_price_check)`,
  ],
  [
    'price_check',
    '*',
    `id IN (SELECT id FROM staged_price_check UNION SELECT price_check_id FROM staged_question
       UNION SELECT price_check_id FROM staged_draft UNION SELECT price_check_id FROM staged_reply)`,
  ],
  ['question', '*', 'id IN (SELECT id FROM staged_question)'],
  ['draft', '*', 'id IN (SELECT id FROM staged_draft)'],
  ['reply', '*', 'id IN (SELECT id FROM staged_reply)'],
  FEED,
];

/** Copies rows of a distributed database to temporary tables, which go with the transaction. */
export const COPIED_ROWS: StoredRows = {
  async take(client) {
    for (const [table, columns, condition] of FILE_ROWS)
      await copy(client, table, columns, condition);
  },
  async takeMembers(client) {
    await client.query(`DROP TABLE IF EXISTS pg_temp.price_check, pg_temp.token_request`);
    await client.query(
      `CREATE TEMPORARY TABLE token_request ON COMMIT DROP AS SELECT p.request_id FROM public.price_check p
       WHERE p.id IN (SELECT price_check_id FROM staged_question_token)`,
    );
    await copy(
      client,
      'price_check',
      'buyer_id, id, request_id, dealership_id',
      'request_id IN (SELECT request_id FROM token_request)',
    );
    await client.query('DROP TABLE pg_temp.dealership');
    await copy(
      client,
      'dealership',
      '*',
      `id IN (${DEALERSHIPS} UNION SELECT dealership_id FROM pg_temp.price_check)`,
    );
  },
  async takeFeeds(client) {
    await client.query('DROP TABLE pg_temp.request_feed');
    await copy(client, ...FEED);
  },
};

async function copy(
  client: ClientBase,
  table: string,
  columns: string,
  condition: string,
): Promise<void> {
  await client.query(
    `CREATE TEMPORARY TABLE ${table} ON COMMIT DROP AS SELECT ${columns} FROM public.${table} WHERE ${condition}`,
  );
  await client.query(`ANALYZE pg_temp.${table}`);
}
