import { approve } from '../approvals.js';
import { writeAuditLine } from './audit.js';
import { printNote, unknownBuyer, withDatabase } from './command-line.js';

interface ApproveOptions {
  readonly buyer: string;
  readonly client: string;
  /** The approved scopes, separated by spaces. */
  readonly scope: string;
  readonly hosted?: boolean;
  /** When the approval ends. */
  readonly expires?: Date;
}

/**
 * `deal-sets approve`: records that a buyer approved an assistant.
 *
 * @throws {CommandError} for an unknown buyer.
 */
export async function runApprove(options: ApproveOptions): Promise<void> {
  const { buyer: buyerId, client: clientId, scope, hosted: isHosted = false } = options;
  const { expires: expiresAt } = options;
  const scopes = scope.split(' ').filter((name) => name !== '');
  await withDatabase(async ({ manager }, settings) => {
    const id = await approve(manager, { buyerId, clientId, scopes, isHosted, expiresAt });
    if (id === undefined) throw unknownBuyer(buyerId);
    writeAuditLine(settings, { action: 'approve', buyer: buyerId, client: clientId });
    const until = expiresAt ? `, until ${expiresAt.toISOString()}` : '';
    printNote(
      `Approved ${clientId} for buyer ${buyerId}${until}, with the scopes: ${scopes.join(' ')}.`,
    );
  });
}
