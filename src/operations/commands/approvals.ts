import type { AssistantGrant } from '../../database/entities.js';
import { approvalsOf, approve } from '../approvals.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, printResult, withDatabase } from './command-line.js';

interface ApproveOptions {
  readonly buyer: string;
  readonly client: string;
  /** The approved scopes, separated by spaces. */
  readonly scope: string;
  readonly hosted?: boolean;
}

/**
 * `deal-sets approve`: records that a buyer approved an assistant.
 *
 * @throws {CommandError} for an unknown buyer.
 */
export async function runApprove(options: ApproveOptions): Promise<void> {
  const { buyer: buyerId, client: clientId, scope, hosted: isHosted = false } = options;
  const scopes = scope.split(' ').filter((name) => name !== '');
  await withDatabase(async ({ manager }, settings) => {
    const id = await approve(manager, { buyerId, clientId, scopes, isHosted });
    if (id === undefined) {
      throw new CommandError(`There is no buyer ${buyerId}: import one, or check the id.`);
    }
    writeAuditLine(settings, { action: 'approve', buyer: buyerId, client: clientId });
    printNote(`Approved ${clientId} for buyer ${buyerId}, with the scopes: ${scopes.join(' ')}.`);
  });
}

interface ApprovalsOptions {
  readonly buyer: string;
  readonly json?: boolean;
}

/** `deal-sets approvals`: lists a buyer's approvals, newest first. */
export async function runApprovals({ buyer, json }: ApprovalsOptions): Promise<void> {
  const approvals = await withDatabase(({ manager }) => approvalsOf(manager, buyer));
  if (json) printResult(JSON.stringify(approvals.map(approvalJson), null, 2));
  else if (approvals.length === 0) printNote(`Buyer ${buyer} has approved no assistant.`);
  else printResult(approvals.map(approvalLine).join('\n'));
}

function approvalJson(approval: AssistantGrant): object {
  const { id, clientId, scopes, isHosted, grantedAt, revokedAt } = approval;
  return { id, clientId, scopes, hosted: isHosted, grantedAt, revokedAt };
}

function approvalLine(approval: AssistantGrant): string {
  const { clientId, scopes, isHosted, grantedAt, revokedAt } = approval;
  const state = revokedAt === null ? 'active' : `revoked ${revokedAt.toISOString()}`;
  const hosted = isHosted ? ', hosted' : '';
  return `${clientId}: ${state}, approved ${grantedAt.toISOString()}, scopes: ${scopes.join(' ')}${hosted}`;
}
