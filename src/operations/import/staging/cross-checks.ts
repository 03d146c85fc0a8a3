import type { ClientBase } from 'pg';
import { LISTED_LINES, Problems } from '../records/problems.js';
import { THREAD_KINDS, type RecordKind } from '../records/records.js';
import { RECORD_TABLES } from '../records/record-tables.js';
import type { StoredRelation } from './stored-relation.js';

/**
 * At most this many requests of a buyer may have the same stamp, because a page of the feed never
 * separates equal stamps.
 */
const MAX_SHARED_TIME = 200;

const stamped = (staging: string, kind: string, isRequest: string): string =>
  `SELECT line, buyer_id, id AS request_id, '${kind}' AS kind, stamp AS at
   FROM ${staging} WHERE stamp IS NOT NULL AND ${isRequest}`;
/**
 * Selects the requests of the file whose records contain a stamp: `latestActivityAt`, or else
 * `recordedAt`.
 */
const STAMPED_REQUESTS = `${stamped('staged_deal_set', 'deal_set', 'true')}
  UNION ALL ${stamped('staged_price_check', 'single', 'deal_set_id IS NULL')}`;

/** A rule between records: the SQL selects the `line` of each record that breaks it. */
interface CrossCheck {
  readonly key: string;
  readonly reason: string;
  /**
   * The statement may also select `other`, the line of the record that contradicts this one; null
   * if that record is stored in the database.
   */
  readonly sql: string;
}

/**
 * Returns the rule that a key such as `buyerId` must refer to a record in the file or the database.
 */
function missing(stored: StoredRelation, kind: RecordKind, named: RecordKind): CrossCheck {
  const { table, staging } = RECORD_TABLES[named];
  return {
    key: `${kind}.${named}Id`,
    reason: `is not the id of a ${named} in this file or in the database`,
    sql: `SELECT s.line FROM ${RECORD_TABLES[kind].staging} s
      WHERE s.${table}_id IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM ${staging} f WHERE f.id = s.${table}_id)
        AND NOT EXISTS (SELECT 1 FROM ${stored(table)} t WHERE t.id = s.${table}_id)`,
  };
}

/**
 * Returns the rule that an id belongs to one buyer permanently.
 *
 * @param unless the condition for records `s` that already break another rule.
 */
function anotherBuyers(stored: StoredRelation, kind: RecordKind, unless: string): CrossCheck {
  const { staging, table } = RECORD_TABLES[kind];
  return {
    key: `${kind}.id`,
    reason: 'belongs to another buyer',
    sql: `SELECT s.line, NULL::integer AS other FROM ${staging} s JOIN ${stored(table)} t ON t.id = s.id
      WHERE t.buyer_id <> s.buyer_id AND NOT (${unless})
      UNION ALL
      SELECT s.line, s.first_line FROM (
        SELECT *, first_value(line) OVER same_id AS first_line, first_value(buyer_id) OVER same_id AS first_buyer_id
        FROM ${staging} WINDOW same_id AS (PARTITION BY id ORDER BY line)
      ) s
      WHERE s.first_buyer_id <> s.buyer_id AND NOT (${unless})
        AND NOT EXISTS (SELECT 1 FROM ${stored(table)} t WHERE t.id = s.id)`,
  };
}

/** Returns the condition that the buyer of a staged record `s` exists. */
const hasBuyer = (stored: StoredRelation): string =>
  `(EXISTS (SELECT 1 FROM staged_buyer b WHERE b.id = s.buyer_id)
    OR EXISTS (SELECT 1 FROM ${stored('buyer')} b WHERE b.id = s.buyer_id))`;

/** Returns the condition that the id of a staged price check `alias` is another buyer's. */
const isTakenPriceCheck = (stored: StoredRelation, alias: string): string =>
  `EXISTS (SELECT 1 FROM ${stored('price_check')} taken
     WHERE taken.id = ${alias}.id AND taken.buyer_id <> ${alias}.buyer_id)`;

const OWNED_KINDS = ['session', 'grant', 'dealSet', 'priceCheck'] as const;

/**
 * Rules for every line, including lines that a later line with the same id replaces. A rule that a
 * record breaks only because a record breaks another of these rules is not reported.
 */
export const referenceChecks = (stored: StoredRelation): readonly CrossCheck[] => [
  {
    key: 'erasedBuyer.idSha256',
    reason: 'belongs to a buyer who is stored here: run `deal-sets erase` for this buyer first',
    sql: `SELECT s.line FROM staged_erased_buyer s JOIN deal_sets.buyer b ON sha256(b.id::text::bytea) = s.id_sha256`,
  },
  ...OWNED_KINDS.map((kind) => missing(stored, kind, 'buyer')),
  missing(stored, 'priceCheck', 'dealership'),
  missing(stored, 'priceCheck', 'dealSet'),
  {
    key: 'priceCheck.dealSetId',
    reason: "is another buyer's deal set",
    sql: `SELECT s.line FROM staged_price_check s JOIN (
        SELECT id, buyer_id FROM staged_deal_set
        UNION SELECT id, buyer_id FROM ${stored('deal_set')}
          WHERE id IN (SELECT deal_set_id FROM staged_price_check)
      ) d ON d.id = s.deal_set_id
      WHERE ${hasBuyer(stored)} AND NOT ${isTakenPriceCheck(stored, 's')}
      GROUP BY s.line HAVING bool_and(d.buyer_id <> s.buyer_id)`,
  },
  ...THREAD_KINDS.map((kind) => missing(stored, kind, 'priceCheck')),
  ...OWNED_KINDS.map((kind) => anotherBuyers(stored, kind, `NOT ${hasBuyer(stored)}`)),
  ...THREAD_KINDS.map((kind) =>
    anotherBuyers(
      stored,
      kind,
      `EXISTS (SELECT 1 FROM staged_price_check p
        WHERE p.id = s.price_check_id AND ${isTakenPriceCheck(stored, 'p')})`,
    ),
  ),
];

function sharedTimes(sql: string): CrossCheck[] {
  return ['deal_set', 'single'].map((kind) => ({
    key: `${kind === 'single' ? 'priceCheck' : 'dealSet'}.latestActivityAt`,
    reason: `is shared by more than ${MAX_SHARED_TIME} requests of this buyer`,
    sql: `SELECT line FROM (${sql}) crowded WHERE kind = '${kind}'`,
  }));
}

/**
 * Rules that the records of the file and the stored records must obey together, and the limit of
 * requests in the file that share a stamp.
 */
export const outcomeChecks = (stored: StoredRelation): readonly CrossCheck[] => [
  {
    key: 'grant.clientId',
    reason: 'already has a grant of this buyer that is neither revoked nor expired',
    sql: `SELECT DISTINCT ON (s.line) s.line, u.line AS other FROM staged_assistant_grant s JOIN (
        SELECT id, buyer_id, client_id, line FROM staged_assistant_grant WHERE revoked_at IS NULL
        UNION ALL
        SELECT t.id, t.buyer_id, t.client_id, NULL FROM ${stored('assistant_grant')} t
        WHERE t.revoked_at IS NULL AND NOT EXISTS (SELECT 1 FROM staged_assistant_grant f WHERE f.id = t.id)
      ) u ON u.buyer_id = s.buyer_id AND u.client_id = s.client_id AND u.id <> s.id
      WHERE s.revoked_at IS NULL AND (u.line IS NULL OR u.line < s.line) ORDER BY s.line, u.line`,
  },
  {
    // Otherwise the tokens of the expired grant would be valid again.
    key: 'grant.expiresAt',
    reason: 'must not prolong a grant that has expired, unless `grantedAt` is later than before',
    sql: `SELECT s.line FROM staged_assistant_grant s
      JOIN ${stored('assistant_grant')} t ON t.buyer_id = s.buyer_id AND t.id = s.id
      WHERE s.revoked_at IS NULL AND s.expires_at <= statement_timestamp() IS NOT TRUE
        AND t.revoked_at IS NULL AND t.expires_at <= statement_timestamp()
        AND s.granted_at <= t.granted_at`,
  },
  {
    key: 'session.tokenSha256',
    reason: 'is already the token of another session',
    sql: `SELECT DISTINCT ON (s.line) s.line, u.line AS other FROM staged_buyer_session s JOIN (
        SELECT id, token_sha256, line FROM staged_buyer_session
        UNION ALL
        SELECT t.id, t.token_sha256, NULL FROM ${stored('buyer_session')} t
        WHERE NOT EXISTS (SELECT 1 FROM staged_buyer_session f WHERE f.id = t.id)
      ) u ON u.token_sha256 = s.token_sha256 AND u.id <> s.id
      WHERE u.line IS NULL OR u.line < s.line ORDER BY s.line, u.line`,
  },
  ...sharedTimes(
    `SELECT line, kind FROM (
       SELECT line, kind, row_number() OVER (PARTITION BY buyer_id, at ORDER BY line) AS number
       FROM (${STAMPED_REQUESTS}) stamped
     ) numbered WHERE number = ${MAX_SHARED_TIME + 1}`,
  ),
];

/**
 * The limit of requests that share a stamp in the feed. It is checked after the file's requests
 * have been stamped.
 */
export const FEED_TIME_CHECKS: readonly CrossCheck[] = sharedTimes(
  `SELECT DISTINCT ON (stamped.buyer_id, stamped.at) stamped.line, stamped.kind
   FROM (${STAMPED_REQUESTS}) stamped JOIN (
     SELECT f.buyer_id, f.feed_at FROM deal_sets.request_feed f
     WHERE f.buyer_id IN (SELECT buyer_id FROM (${STAMPED_REQUESTS}) mine)
     GROUP BY f.buyer_id, f.feed_at HAVING count(*) > ${MAX_SHARED_TIME}
   ) crowd ON crowd.buyer_id = stamped.buyer_id AND crowd.feed_at = stamped.at
   ORDER BY stamped.buyer_id, stamped.at, stamped.line DESC`,
);

interface BrokenRow {
  readonly line: number;
  readonly total: number;
  readonly other?: number | null;
}

function detailOf({ other }: BrokenRow): string | undefined {
  if (other === undefined) return undefined;
  return other === null ? 'in the database' : `in line ${other}`;
}

/**
 * Runs the checks.
 *
 * @throws {ImportRejectedError} with the lines of the records that break a rule.
 */
export async function runChecks(client: ClientBase, checks: readonly CrossCheck[]): Promise<void> {
  const problems = new Problems();
  for (const { key, reason, sql } of checks) {
    const { rows } = await client.query<BrokenRow>(
      `SELECT broken.*, (count(*) OVER ())::integer AS total FROM (${sql}) broken
       ORDER BY line LIMIT ${LISTED_LINES}`,
    );
    const further = (rows[0]?.total ?? 0) - rows.length;
    for (const [index, row] of rows.entries()) {
      const detail = detailOf(row);
      problems.add(
        { line: row.line, key, reason, ...(detail !== undefined && { detail }) },
        index === 0 ? further + 1 : 1,
      );
    }
  }
  problems.throwIfAny();
}
