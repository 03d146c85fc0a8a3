import { readModelStatements } from './read-model-statements.js';
import { FEED_PROBE, readerStatements } from './statements.js';

const session = readerStatements('session');
const assistant = readerStatements('assistant');

/** As the peer R the same server reads the service's read model, to show what is not SQL. */
export const READS_MODEL = process.env['PEER_READS'] === 'read-model';

const ofSession = READS_MODEL ? readModelStatements('session') : undefined;
const ofAssistant = READS_MODEL ? readModelStatements('assistant') : undefined;

/**
 * B has no read model: its list aggregates over the normalized tables. Sign-in lets the database compare the
 * times.
 */
export const SQL = {
  grant: `SELECT 'offers:read' = ANY (g.scopes) AS may_read, g.is_hosted, b.changes_granted
    FROM assistant_grant g JOIN buyer b ON b.id = g.buyer_id
    WHERE g.buyer_id = $1 AND g.client_id = $2 AND g.revoked_at IS NULL`,
  session: `SELECT buyer_id FROM buyer_session
    WHERE token_sha256 = $1 AND revoked_at IS NULL AND expires_at > now()`,
  probe: FEED_PROBE.text,
  sessionActive: ofSession?.active ?? session.active.text,
  sessionSince: ofSession?.changedSince ?? session.changedSince.text,
  sessionOne: session.one.text,
  assistantActive: ofAssistant?.active ?? assistant.active.text,
  assistantSince: ofAssistant?.changedSince ?? assistant.changedSince.text,
  assistantOne: assistant.one.text,
  replies: session.repliesSince.text,
} as const;
