import type { Command } from 'commander';
import { READ_SCOPE } from '../../kernel/principal.js';
import { command } from './command.js';
import { CommandError } from './command-error.js';
import { withDatabase } from './database.js';
import { clientId, ttlSeconds, uuid } from './option-values.js';
import { printNote, printResult } from './output.js';

/** `deal-sets token`: prints an access token of the development issuer. */
export const tokenCommand = (): Command =>
  command('token', {
    summary: 'print an access token from the development issuer (the demo shows one at /curl)',
    examples: ['deal-sets token BUYER --client assistant-1'],
  })
    .requiredOption('--buyer <id>', 'the buyer whose requests the token can read', uuid)
    .requiredOption('--client <id>', 'the assistant that the token is issued to', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces, in quotes', READ_SCOPE)
    .option('--ttl <seconds>', 'how long the token is valid', ttlSeconds, 3600)
    .action(printToken);

interface TokenOptions {
  /** The buyer's id. */
  readonly buyer: string;
  /** The client id of the assistant. */
  readonly client: string;
  /** The scopes of the token, separated by spaces. */
  readonly scope: string;
  /** The lifetime of the token, in seconds. */
  readonly ttl: number;
}

async function printToken({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
  const [{ loadServiceSettings }, { mcpAudiences }, { DevelopmentIssuer }] = await Promise.all([
    import('../../config/service-settings.js'),
    import('../../auth/mcp-resource.js'),
    import('../../auth/issuer/development-issuer.js'),
  ]);
  const { settings } = loadServiceSettings();
  if (settings.isProduction && !settings.issuer) {
    throw new CommandError(
      'The development issuer is not for production: unset NODE_ENV to issue tokens on this machine.',
    );
  }
  if (settings.issuer) {
    throw new CommandError(
      `Tokens come from ${settings.issuer.issuer}, after a buyer's approval in a browser: connect the assistant there. To issue tokens on this machine, unset NODE_ENV, AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL to use the development issuer.`,
    );
  }
  if (!DevelopmentIssuer.isInUse()) {
    throw new CommandError(
      'No service with the development issuer has run in this directory, so none would accept the token: start one here with `deal-sets serve` first. The demo shows a token at /curl.',
    );
  }
  const issuer = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
  printResult(
    await issuer.issueToken({ buyerId: buyer, clientId: client, scope, ttlSeconds: ttl }),
  );

  const { approvalsOf, isLiveApproval } = await import('../approvals.js');
  const hasGrant = await withDatabase(async ({ manager }) => {
    const approvals = await approvalsOf(manager, buyer);
    return approvals.some((approval) => approval.clientId === client && isLiveApproval(approval));
  }).catch(() => undefined);
  if (hasGrant === undefined) {
    printNote('Note: could not check in the database whether a grant exists.');
  } else if (!hasGrant) {
    printNote(
      `Note: buyer ${buyer} has no live grant for ${client}, so the service responds with 401: run \`deal-sets approve\`, then issue another token.`,
    );
  }
}
