import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { In, IsNull, Raw, type DataSource } from 'typeorm';
import { DevelopmentIssuer, type DevelopmentToken } from '../auth/development-issuer.js';
import { loadSettings, mcpAudiences, type Settings } from '../config/settings.js';
import { AssistantGrant, Buyer, BuyerSession } from '../database/entities.js';
import { retryConflicts } from '../database/retry-conflicts.js';
import { READ_SCOPE } from '../kernel/principal.js';
import { SettingsRollout } from '../rollout/rollout.js';
import { CommandError, printNote, printResult, withRepositories } from './command-line.js';

interface TokenOptions {
  readonly buyer: string;
  readonly client: string;
  readonly scope: string;
  readonly ttl: number;
}

export async function token({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
  const asked = { buyerId: buyer, clientId: client, scope, ttlSeconds: ttl };
  printResult(await developmentToken(loadSettings(), asked));
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

export async function session({ buyer, ttl }: { buyer: string; ttl: number }): Promise<void> {
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

interface ExplainOptions {
  readonly buyer: string;
  readonly client: string;
}

/** Why a call would be refused, in the order in which the service checks; undefined: it is admitted. */
function refusalOf(
  flag: string,
  grant: AssistantGrant | null,
  settings: Settings,
): string | undefined {
  if (!grant) return '401 unauthenticated: the buyer never approved this assistant';
  if (grant.revokedAt) return '401 unauthenticated: the grant was revoked';
  const { buyerId, clientId, isHosted } = grant;
  const scopes = new Set(grant.scopes);
  // The settings do not look at the last one.
  const principal = { buyerId, clientId, scopes, isHosted, seesChanges: false };
  if (!new SettingsRollout(settings).isOn(flag, { type: 'assistant', ...principal })) {
    return `404 not_found: ROLLOUT_${flag.toUpperCase()} is off for this buyer`;
  }
  if (scopes.has(READ_SCOPE)) return undefined;
  return `403 insufficient_scope: the grant does not hold ${READ_SCOPE}`;
}

export async function explain({ buyer, client }: ExplainOptions): Promise<void> {
  await withRepositories(async (dataSource, settings) => {
    // The live grant, else the one that was revoked last.
    const grant = await dataSource.getRepository(AssistantGrant).findOne({
      where: { buyerId: buyer, clientId: client },
      order: { revokedAt: { direction: 'DESC', nulls: 'FIRST' } },
    });
    for (const flag of ['list', 'get', ...(settings.hasMcp ? ['mcp'] : [])]) {
      const refusal = refusalOf(flag, grant, settings);
      printResult(`call ${flag}: ${refusal ?? 'admitted, with a good token'}`);
    }
  });
}

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

export async function revoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Say what to revoke: give either --client or --sessions.');
  }
  const count = await withRepositories((dataSource) =>
    retryConflicts(() =>
      client === undefined
        ? revokeSessions(dataSource, buyer)
        : revokeGrant(dataSource, buyer, client),
    ),
  );
  if (count === 0) {
    const [what, check] =
      client === undefined
        ? ['live session', 'Check the id']
        : [`live grant for ${client}`, 'Check both ids'];
    throw new CommandError(`Nothing to revoke: buyer ${buyer} has no ${what}. ${check}.`);
  }
  const sessionsOf = `${count === 1 ? '1 session' : `${count} sessions`} of buyer ${buyer}`;
  printNote(
    `Revoked ${client === undefined ? sessionsOf : `the grant of ${client} for buyer ${buyer}`}.`,
  );
}

/** The database's clock decides, as in the look-ups of sign-in. */
const NOW = { revokedAt: (): string => 'statement_timestamp()' };

async function revokeGrant(
  dataSource: DataSource,
  buyerId: string,
  clientId: string,
): Promise<number> {
  const grants = dataSource.getRepository(AssistantGrant);
  const { affected } = await grants.update({ buyerId, clientId, revokedAt: IsNull() }, NOW);
  return affected ?? 0;
}

/** Locks the sessions in the order that all writers keep to, then revokes them. */
function revokeSessions(dataSource: DataSource, buyerId: string): Promise<number> {
  return dataSource.transaction(async (manager) => {
    const sessions = manager.getRepository(BuyerSession);
    const expiresAt = Raw((column) => `${column} > clock_timestamp()`);
    const live = await sessions.find({
      select: { buyerId: true, id: true },
      where: { buyerId, revokedAt: IsNull(), expiresAt },
      order: { id: 'ASC' },
      lock: { mode: 'for_no_key_update' },
    });
    await sessions.update({ buyerId, id: In(live.map(({ id }) => id)) }, NOW);
    return live.length;
  });
}
