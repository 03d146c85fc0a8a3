import { FEED_PROBE, readerStatements } from '../../../src/deal-sets/reader/statements.js';

const session = readerStatements('session');
const assistant = readerStatements('assistant');

/**
 * The reads are the service's own texts: whatever the service finds to make them faster, B has too, and
 * what is left between the two is everything that is not SQL. Sign-in is B's own: it lets the database
 * compare the times.
 */
export const SQL = {
  grant: `SELECT 'offers:read' = ANY (g.scopes) AS may_read, g.is_hosted, b.changes_granted
    FROM assistant_grant g JOIN buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
  session: `SELECT buyer_id FROM buyer_session
    WHERE token_sha256 = $1 AND revoked_at IS NULL AND expires_at > now()`,
  probe: FEED_PROBE.text,
  sessionActive: session.active.text,
  sessionSince: session.changedSince.text,
  sessionOne: session.one.text,
  assistantActive: assistant.active.text,
  assistantSince: assistant.changedSince.text,
  assistantOne: assistant.one.text,
  replies: session.repliesSince.text,
} as const;
