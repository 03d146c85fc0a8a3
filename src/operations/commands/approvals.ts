import type { Command } from 'commander';
import type { AssistantGrant } from '../../database/entities.js';
import { command } from './command.js';
import { withDatabase } from './database.js';
import { uuid } from './option-values.js';
import { printNote, printResult } from './output.js';

/**
 * `deal-sets approvals`: lists a buyer's approvals, first the live ones and then the others, both
 * newest first.
 */
export const approvalsCommand = (): Command =>
  command('approvals', {
    summary: "list a buyer's approvals of assistants, including those that have ended",
    examples: ['deal-sets approvals BUYER', 'deal-sets approvals BUYER --json'],
  })
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .option('--json', 'print a JSON array')
    .action(listApprovals);

interface ApprovalsOptions {
  readonly buyer: string;
  readonly json?: boolean;
}

async function listApprovals({ buyer, json }: ApprovalsOptions): Promise<void> {
  const { approvalsOf, isLiveApproval } = await import('../approvals.js');
  const approvals = await withDatabase(({ manager }) => approvalsOf(manager, buyer));
  if (json) printResult(JSON.stringify(approvals.map(approvalJson), null, 2));
  else if (approvals.length === 0) printNote(`Buyer ${buyer} has approved no assistant.`);
  else {
    const lines = approvals.map((approval) => approvalLine(approval, isLiveApproval(approval)));
    printResult(lines.join('\n'));
  }
}

function approvalJson(approval: AssistantGrant): object {
  const { id, clientId, scopes, isHosted, grantedAt, expiresAt, revokedAt } = approval;
  return { id, clientId, scopes, hosted: isHosted, grantedAt, expiresAt, revokedAt };
}

function approvalLine(approval: AssistantGrant, isLive: boolean): string {
  const { clientId, scopes, isHosted, grantedAt } = approval;
  const hosted = isHosted ? ', hosted' : '';
  return `${clientId}: ${stateOf(approval, isLive)}, approved ${grantedAt.toISOString()}, scopes: ${scopes.join(' ')}${hosted}`;
}

function stateOf({ expiresAt, revokedAt }: AssistantGrant, isLive: boolean): string {
  if (revokedAt) return `revoked ${revokedAt.toISOString()}`;
  if (!expiresAt) return 'active';
  return `${isLive ? 'active until' : 'expired'} ${expiresAt.toISOString()}`;
}
