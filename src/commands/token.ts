import type { Command } from 'commander';
import { IsNull } from 'typeorm';
import { DevelopmentIssuer } from '../auth/access-token/development-issuer.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { mcpAudiences } from '../config/mcp-address.js';
import { AssistantGrant } from '../database/entities/entities.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { CommandError } from './command-error.js';
import { clientId, MAX_TTL_SECONDS, uuid, wholeNumber } from './option-values.js';
import { printNote, printResult } from './console.js';
import { withRepositories } from './with-client.js';

interface TokenOptions {
  readonly buyer: string;
  readonly client: string;
  readonly scope: string;
  readonly ttl: number;
}

async function token({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
  const settings = loadSettings(readEnvironment());
  if (settings.issuer || settings.isProduction) {
    throw new CommandError(
      'Tokens come from the issuer in AUTH_ISSUER: unset AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL to use the development issuer.',
    );
  }
  const issuer = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
  printResult(
    await issuer.issueToken({ buyerId: buyer, clientId: client, scope, ttlSeconds: ttl }),
  );
  await warnWithoutGrant(buyer, client);
}

/** A token alone opens nothing: without a grant every call is answered 401, and one wonders why. */
async function warnWithoutGrant(buyer: string, client: string): Promise<void> {
  const hasGrant = await withRepositories((dataSource) =>
    dataSource
      .getRepository(AssistantGrant)
      .existsBy({ buyerId: buyer, clientId: client, revokedAt: IsNull() }),
  ).catch(() => undefined);
  if (hasGrant === false) {
    printNote(
      `Note: buyer ${buyer} has no live grant for ${client}, so the service will answer 401.`,
    );
  } else if (hasGrant === undefined) {
    printNote('Note: the database could not be asked whether a grant exists.');
  }
}

export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description('print an access token from the local development issuer')
    .requiredOption('--buyer <id>', 'the buyer that the token speaks for', uuid)
    .requiredOption('--client <id>', 'the assistant that holds the token', clientId)
    .option('--scope <scopes>', 'scopes, separated by spaces', READ_SCOPE)
    .option('--ttl <seconds>', 'how long it is good', wholeNumber(1, MAX_TTL_SECONDS), 3600)
    .addHelpText(
      'after',
      '\nExample:\n  deal-sets token --buyer 00000000-0000-4000-8000-000000000001 --client assistant-1',
    )
    .action(token);
}
