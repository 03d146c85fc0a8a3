import type { Statement } from '../../database/read-database.js';
import type { PrincipalType } from '../../kernel/principal.js';
import {
  activeComputedStatement,
  activeStatement,
  changedSinceComputedStatement,
  changedSinceStatement,
} from './entry-statements.js';
import { resultStatement } from './result-statement.js';

/** The statements one type of principal reads by. Each is one round trip and sees one snapshot. */
export interface ReaderStatements {
  readonly active: Statement;
  readonly changedSince: Statement;
  /** The same two without the read model, while the rebuild has yet to fill it. */
  readonly activeComputed: Statement;
  readonly changedSinceComputed: Statement;
  readonly repliesSince: Statement;
  readonly one: Statement;
}

export function readerStatements(principalType: PrincipalType): ReaderStatements {
  const named = (name: string, text: string): Statement => ({
    name: `${principalType}_${name}`,
    text,
  });
  return {
    active: named('active', activeStatement(principalType)),
    changedSince: named('changed_since', changedSinceStatement(principalType)),
    activeComputed: named('active_computed', activeComputedStatement(principalType)),
    changedSinceComputed: named(
      'changed_since_computed',
      changedSinceComputedStatement(principalType),
    ),
    repliesSince: named('replies_since', REPLIES_SINCE),
    one: named('one', resultStatement(principalType)),
  };
}

/**
 * $1 buyer. Whether no writer of the buyer is between its stamp and its commit, and the clock. A statement of
 * its own, before the page's: the page's snapshot must be younger than the answer. It names the buyer's table, so
 * that a distributed database runs it where her requests are stamped: locks and clock are those of one server.
 */
export const FEED_PROBE: Statement = {
  name: 'feed_probe',
  text: `SELECT
  pg_try_advisory_xact_lock_shared(feed_lock_key(b.tableoid))
    AND pg_try_advisory_xact_lock_shared(feed_lock_key(b.id))
    AND NOT pg_is_in_recovery() AS "isQuiet",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
FROM buyer b WHERE b.id = $1`,
};

/**
 * $1 buyer, $2 request ids, $3 since, $4 those of the ids that are single requests. Replies that became readable
 * after since, by the stamp of the commit that brought them: counted by their receipt, one that was recorded
 * late would never be new.
 *
 * A deal set and a single request may have one id, but a price check is never in both. A reply to another price
 * check than the one its request is named by is a deal set's; the price check is looked up only where a deal set
 * is asked for by its id.
 */
const REPLIES_SINCE = `SELECT CASE
    WHEN r.price_check_id <> r.request_id THEN 'deal_set'
    WHEN r.request_id = ANY ($4::uuid[]) THEN 'single'
    WHEN (SELECT p.deal_set_id FROM price_check p
      WHERE p.buyer_id = r.buyer_id AND p.id = r.price_check_id) IS NULL THEN 'single'
    ELSE 'deal_set' END AS kind,
  r.request_id AS "requestId", count(*) AS count, max(r.received_at) AS "latestAt"
FROM reply r
WHERE r.buyer_id = $1 AND r.request_id = ANY ($2::uuid[]) AND r.feed_at > $3::timestamptz
GROUP BY kind, r.request_id`;
