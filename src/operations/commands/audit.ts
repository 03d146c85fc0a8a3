import { userInfo } from 'node:os';
import type { Settings } from '../../config/settings.js';
import { Log } from '../../observability/logger.js';

/** What a command did, and to whom: ids alone, never names or contact data. */
export interface AuditedAct {
  readonly action: 'approve' | 'erase' | 'export' | 'restamp' | 'revoke' | 'session';
  /** The id of the buyer; absent: all buyers. */
  readonly buyer?: string | undefined;
  /** The client id of the assistant. */
  readonly client?: string | undefined;
  /** Whether the sessions of the buyer were revoked. */
  readonly sessions?: boolean | undefined;
}

/**
 * Writes a line of the log about what a command did, with the accounts that did it. It goes to
 * standard error, because the result of a command is on standard output.
 */
export function writeAuditLine({ logLevel, database }: Settings, act: AuditedAct): void {
  const log = new Log(logLevel, { write: (line) => void process.stderr.write(line) });
  const login = database.url && decodeURIComponent(new URL(database.url).username);
  log.info({ ...act, account: accountName(), login }, 'audit');
}

/** The account of this process: its name, or its number where it has no name, as in a container. */
function accountName(): string {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}
