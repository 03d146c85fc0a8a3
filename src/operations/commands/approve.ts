import type { Command } from 'commander';
import { READ_SCOPE } from '../../kernel/principal.js';
import { command } from './command.js';
import { unknownBuyer } from './command-error.js';
import { withDatabase } from './database.js';
import { clientId, endTime, uuid } from './option-values.js';
import { printNote } from './output.js';

/** `deal-sets approve`: records that a buyer approved an assistant. */
export const approveCommand = (): Command =>
  command('approve', {
    summary: 'record that a buyer approved an assistant',
    examples: [
      'deal-sets approve BUYER --client assistant-1',
      'deal-sets approve BUYER --client assistant-1 --expires 90d',
    ],
    note:
      'The default grant store reads these grants. An earlier approval of the same assistant is replaced.\n' +
      'If that approval was revoked or has expired, tokens that were issued before this one stay rejected.',
  })
    .requiredOption('--buyer <id>', 'the buyer', uuid)
    .requiredOption('--client <id>', 'the assistant', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces, in quotes', READ_SCOPE)
    .option('--hosted', 'the assistant runs on a server of its provider')
    .option(
      '--expires <when>',
      'when the approval ends: days or hours from now (90d, 12h), or an ISO 8601 time; default: never',
      endTime,
    )
    .action(recordApproval);

interface ApproveOptions {
  readonly buyer: string;
  readonly client: string;
  /** The approved scopes, separated by spaces. */
  readonly scope: string;
  readonly hosted?: boolean;
  /** When the approval ends. */
  readonly expires?: Date;
}

async function recordApproval(options: ApproveOptions): Promise<void> {
  const { buyer: buyerId, client: clientId, scope, hosted: isHosted = false } = options;
  const { expires: expiresAt } = options;
  const scopes = scope.split(' ').filter((name) => name !== '');
  const [{ approve }, { writeAuditLine }] = await Promise.all([
    import('../approvals.js'),
    import('./audit.js'),
  ]);
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
