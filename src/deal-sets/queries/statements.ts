import type { Statement } from '../../database/read-database.js';
import type { PrincipalType } from '../../kernel/principal.js';
import { activeStatement, changedSinceStatement, REPLIES_STATEMENT } from './entry-statements.js';
import { resultStatement } from './result-statement.js';

/** The statements one type of principal reads by. Each is one round trip and sees one snapshot. */
export interface ReaderStatements {
  readonly active: Statement;
  readonly changedSince: Statement;
  /** Replies of a page's requests. */
  readonly replies: Statement;
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
    replies: named('replies', REPLIES_STATEMENT),
    one: named('one', resultStatement(principalType)),
  };
}

/**
 * $1 buyer. Whether no writer of the buyer is between its stamp and its commit, and the clock. A statement of
 * its own, before the page's: the page's snapshot must be younger than the answer. It names the buyer's table, so
 * that locks and clock are those of the server on which her requests are stamped.
 */
export const FEED_PROBE: Statement = {
  name: 'feed_probe',
  text: `SELECT
  pg_try_advisory_xact_lock_shared(deal_sets.feed_group_key(deal_sets.feed_group(b.id)))
    AND pg_try_advisory_xact_lock_shared(deal_sets.feed_lock_key(b.id))
    AND NOT pg_is_in_recovery() AS "isQuiet",
  floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "readAtMs"
FROM buyer b WHERE b.id = $1`,
};
