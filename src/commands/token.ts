import type { Command } from 'commander';
import { IsNull } from 'typeorm';
import { DevelopmentIssuer, type DevelopmentToken } from '../auth/development-issuer.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { mcpAudiences } from '../config/settings.js';
import type { Settings } from '../config/settings.js';
import { AssistantGrant } from '../database/entities.js';
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
  const asked = { buyerId: buyer, clientId: client, scope, ttlSeconds: ttl };
  printResult(await developmentToken(settings, asked));
  await warnWithoutGrant(buyer, client);
}

/** @throws {CommandError} with a real issuer: that one gives tokens after a buyer's approval alone. */
function developmentToken(settings: Settings, asked: DevelopmentToken): Promise<string> {
  const { issuer, isProduction } = settings;
  if (issuer && !isProduction) {
    throw new CommandError(
      `Tokens come from ${issuer.issuer}, after a buyer's approval in a browser: connect the assistant there. For tokens of this machine unset AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL to use the development issuer.`,
    );
  }
  if (isProduction) {
    throw new CommandError(
      'Tokens come from the issuer in AUTH_ISSUER: unset NODE_ENV=production, AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL to use the development issuer.',
    );
  }
  return DevelopmentIssuer.open(undefined, mcpAudiences(settings)).issueToken(asked);
}

/** A token without a grant gets 401 on every call, so the command warns. */
async function warnWithoutGrant(buyer: string, client: string): Promise<void> {
  const hasGrant = await withRepositories((dataSource) =>
    dataSource
      .getRepository(AssistantGrant)
      .existsBy({ buyerId: buyer, clientId: client, revokedAt: IsNull() }),
  ).catch(() => undefined);
  if (hasGrant === false) {
    printNote(
      `Note: buyer ${buyer} has no live grant for ${client}, so the service responds with 401.`,
    );
  } else if (hasGrant === undefined) {
    printNote('Note: the database could not be asked whether a grant exists.');
  }
}

export function addTokenCommand(program: Command): void {
  program
    .command('token')
    .description(
      'print an access token from the development issuer (a demo gives its own at /curl)',
    )
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
