import { userInfo } from 'node:os';
import type { Settings } from '../../config/settings.js';
import { JsonLogger } from '../../observability/json-logger.js';

/** What a command did, and to whom. It contains only ids, never names or contact data. */
export interface AuditedAct {
  readonly action: 'approve' | 'erase' | 'export' | 'rebuild' | 'revoke' | 'session';
  /** The id of the buyer; absent if the command affected all buyers. */
  readonly buyer?: string | undefined;
  /** The client id of the assistant. */
  readonly client?: string | undefined;
  /** Whether a rebuild stamped every request anew. */
  readonly restamp?: boolean | undefined;
  /** Whether the sessions of the buyer were revoked. */
  readonly sessions?: boolean | undefined;
}

/**
 * Writes a log line about what a command did, with the operating-system account and the database
 * login that it used. The line is written to standard error, because the result of a command is
 * written to standard output.
 */
export function writeAuditLine({ database }: Settings, act: AuditedAct): void {
  const logger = new JsonLogger('info', { write: (line) => void process.stderr.write(line) });
  const login = database.url && decodeURIComponent(new URL(database.url).username);
  logger.log({ msg: 'audit', ...act, account: accountName(), login });
}

/**
 * Returns the account of this process: its name, or its number if it has no name, as in a
 * container.
 */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
