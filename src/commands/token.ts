import { createHash, randomBytes, randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import { IsNull } from 'typeorm';
import { DevelopmentIssuer, type DevelopmentToken } from '../auth/development-issuer.js';
import { loadSettings, readEnvironment } from '../config/load-settings.js';
import { mcpAudiences, type Settings } from '../config/settings.js';
import { AssistantGrant, Buyer, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { READ_SCOPE } from '../kernel/principal.js';
import {
  clientId,
  CommandError,
  printNote,
  printResult,
  ttlSeconds,
  uuid,
} from './command-line.js';
import { withRepositories } from './with-client.js';

interface TokenOptions {
  readonly buyer: string;
  readonly client: string;
  readonly scope: string;
  readonly ttl: number;
}

async function token({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
  const asked = { buyerId: buyer, clientId: client, scope, ttlSeconds: ttl };
  printResult(await developmentToken(loadSettings(readEnvironment()), asked));
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
async function warnWithoutGrant(buyerId: string, clientId: string): Promise<void> {
  const hasGrant = await withRepositories((dataSource) =>
    dataSource.getRepository(AssistantGrant).existsBy({ buyerId, clientId, revokedAt: IsNull() }),
  ).catch(() => undefined);
  if (hasGrant) return;
  printNote(
    hasGrant === undefined
      ? 'Note: the database could not be asked whether a grant exists.'
      : `Note: buyer ${buyerId} has no live grant for ${clientId}, so the service responds with 401.`,
  );
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
    .option('--ttl <seconds>', 'how long it is good', ttlSeconds, 3600)
    .addHelpText(
      'after',
      '\nExample:\n  deal-sets token --buyer 00000000-0000-4000-8000-000000000001 --client assistant-1',
    )
    .action(token);
}

async function session({ buyer, ttl }: { buyer: string; ttl: number }): Promise<void> {
  await withRepositories(async (dataSource, { sessionCookie }) => {
    const value = randomBytes(32).toString('base64url');
    await retryConflicts(() =>
      dataSource.transaction(async (manager) => {
        // Locked, so that she is not erased meanwhile.
        const owner = await manager.getRepository(Buyer).findOne({
          where: { id: buyer },
          lock: { mode: 'for_key_share' },
        });
        if (!owner) {
          throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
        }
        await manager.getRepository(BuyerSession).insert({
          buyerId: buyer,
          id: randomUUID(),
          tokenSha256: createHash('sha256').update(value).digest(),
          // A whole number, by the database's clock.
          expiresAt: () => `clock_timestamp() + ${ttl} * interval '1 second'`,
        });
      }),
    );
    printResult(`Cookie: ${sessionCookie}=${value}`);
  });
}

export function addSessionCommand(program: Command): void {
  program
    .command('session')
    .description('create a website session and print its cookie header line')
    .requiredOption('--buyer <id>', 'the buyer who is signed in', uuid)
    .option('--ttl <seconds>', 'how long it is good', ttlSeconds, 3600)
    .addHelpText(
      'after',
      '\nExample:\n  curl -H "$(deal-sets session --buyer 00000000-0000-4000-8000-000000000001)" \\\n' +
        '    http://localhost:3000/api/v1/deal-sets',
    )
    .action(session);
}
