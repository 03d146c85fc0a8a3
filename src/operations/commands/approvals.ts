import type { AssistantGrant } from '../../database/entities.js';
import { approvalsOf, isLiveApproval } from '../approvals.js';
import { printNote, printResult, withDatabase } from './command-line.js';

interface ApprovalsOptions {
  readonly buyer: string;
  readonly json?: boolean;
}

/**
 * `deal-sets approvals`: lists a buyer's approvals, first the live ones and then the others, both
 * newest first.
 */
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
