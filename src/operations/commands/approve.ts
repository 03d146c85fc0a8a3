import type { AssistantGrant } from '../../database/entities.js';
import { approvalsOf, approve, isLiveApproval } from '../approvals.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, printResult, withDatabase } from './command-line.js';

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
    if (id === undefined) {
      throw new CommandError(`There is no buyer ${buyerId}: import one, or check the id.`);
    }
    writeAuditLine(settings, { action: 'approve', buyer: buyerId, client: clientId });
    const until = expiresAt ? `, until ${expiresAt.toISOString()}` : '';
    printNote(
      `Approved ${clientId} for buyer ${buyerId}${until}, with the scopes: ${scopes.join(' ')}.`,
    );
  });
}

interface ApprovalsOptions {
  readonly buyer: string;
  readonly json?: boolean;
}

/** `deal-sets approvals`: lists a buyer's approvals: first those that are live, each newest first. */
export async function runApprovals({ buyer, json }: ApprovalsOptions): Promise<void> {
  const approvals = await withDatabase(({ manager }) => approvalsOf(manager, buyer));
  if (json) printResult(JSON.stringify(approvals.map(approvalJson), null, 2));
  else if (approvals.length === 0) printNote(`Buyer ${buyer} has approved no assistant.`);
  else printResult(approvals.map(approvalLine).join('\n'));
}

function approvalJson(approval: AssistantGrant): object {
  const { id, clientId, scopes, isHosted, grantedAt, expiresAt, revokedAt } = approval;
  return { id, clientId, scopes, hosted: isHosted, grantedAt, expiresAt, revokedAt };
}

function approvalLine(approval: AssistantGrant): string {
  const { clientId, scopes, isHosted, grantedAt } = approval;
  const hosted = isHosted ? ', hosted' : '';
  return `${clientId}: ${stateOf(approval)}, approved ${grantedAt.toISOString()}, scopes: ${scopes.join(' ')}${hosted}`;
}

function stateOf(approval: AssistantGrant): string {
  const { expiresAt, revokedAt } = approval;
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'active';
  return `${isLiveApproval(approval) ? 'active until' : 'expired'} ${expiresAt.toISOString()}`;
}
