import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { IsNull, Raw } from 'typeorm';
import { DevelopmentIssuer } from '../../auth/issuer/development-issuer.js';
import { loadServiceSettings } from '../../config/service-settings.js';
import { mcpAudiences, type Settings } from '../../config/settings.js';
import { AssistantGrant, Buyer, BuyerSession } from '../../database/entities.js';
import { approvalsOf, isLiveApproval } from '../approvals.js';
import { retryConflicts } from '../schema/retry-conflicts.js';
import { READ_SCOPE } from '../../kernel/principal.js';
import { SettingsRollout } from '../../rollout/settings-rollout.js';
import { writeAuditLine } from './audit.js';
import { CommandError, printNote, printResult, withDatabase } from './command-line.js';

/** The options that identify an assistant of a buyer. */
interface ApprovedAssistant {
  /** The buyer's id. */
  readonly buyer: string;
  /** The client id of the assistant. */
  readonly client: string;
}

interface TokenOptions extends ApprovedAssistant {
  /** The scopes of the token, separated by spaces. */
  readonly scope: string;
  /** The lifetime of the token, in seconds. */
  readonly ttl: number;
}

/**
 * `deal-sets token`: prints an access token of the development issuer.
 *
 * @param options `ttl` in seconds.
 * @throws {CommandError} when the settings specify a real issuer.
 */
export async function token({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
  const { settings } = loadServiceSettings();
  if (settings.issuer) {
    throw new CommandError(
      `Tokens come from ${settings.issuer.issuer}, after a buyer's approval in a browser: connect the assistant there. To issue tokens on this machine, unset NODE_ENV, AUTH_ISSUER, AUTH_AUDIENCE and AUTH_JWKS_URL to use the development issuer.`,
    );
  }
  const issuer = DevelopmentIssuer.open(undefined, mcpAudiences(settings));
  printResult(
    await issuer.issueToken({ buyerId: buyer, clientId: client, scope, ttlSeconds: ttl }),
  );

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

/**
 * `deal-sets session`: creates a website session and prints its cookie.
 *
 * @param options `ttl` in seconds.
 * @throws {CommandError} for an unknown buyer.
 */
export async function session({ buyer, ttl }: { buyer: string; ttl: number }): Promise<void> {
  await withDatabase(async (dataSource, settings) => {
    const value = randomBytes(32).toString('base64url');
    await retryConflicts(() =>
      dataSource.transaction(async (manager) => {
        // The lock prevents a concurrent erasure of the buyer.
        const lock = { mode: 'for_key_share' } as const;
        const owner = await manager.getRepository(Buyer).findOne({ where: { id: buyer }, lock });
        if (!owner) {
          throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
        }
        await manager.getRepository(BuyerSession).insert({
          buyerId: buyer,
          id: randomUUID(),
          tokenSha256: createHash('sha256').update(value).digest(),
          // Uses the database's clock. `ttl` is a whole number, so it is safe in the statement's
          // text.
          expiresAt: () => `clock_timestamp() + ${ttl} * interval '1 second'`,
        });
      }),
    );
    writeAuditLine(settings, { action: 'session', buyer });
    printResult(`Cookie: ${settings.sessionCookie}=${value}`);
  });
}

/** The calls of an assistant, by the flag that turns them on. */
const CALLS: Readonly<Record<string, string>> = {
  list: 'GET /api/v1/deal-sets',
  get: 'GET /api/v1/deal-sets/{id}',
  mcp: 'POST /mcp',
};

interface ExplainOptions extends ApprovedAssistant {
  readonly json?: boolean;
}

/** Why a call would be rejected. */
interface CallRejection {
  readonly status: number;
  readonly code: string;
  /** The cause, as text for people. */
  readonly cause: string;
}

/**
 * `deal-sets explain`: prints for each call of an assistant whether the service would admit or
 * reject it.
 *
 * @throws {CommandError} for an unknown buyer.
 */
export async function explain({ buyer, client, json }: ExplainOptions): Promise<void> {
  await withDatabase(async (dataSource, settings) => {
    if (!(await dataSource.getRepository(Buyer).existsBy({ id: buyer }))) {
      throw new CommandError(`There is no buyer ${buyer}: import one, or check the id.`);
    }
    // The grant that is not revoked, or else the one that was revoked last.
    const grant = await dataSource.getRepository(AssistantGrant).findOne({
      where: { buyerId: buyer, clientId: client },
      order: { revokedAt: { direction: 'DESC', nulls: 'FIRST' } },
    });
    const flags = ['list', 'get', ...(settings.hasMcp ? ['mcp'] : [])];
    const outcomes = flags.map((flag) => ({
      call: CALLS[flag] ?? flag,
      rejection: rejectionOf(flag, grant, settings),
    }));
    if (json) printResult(JSON.stringify(outcomes.map(outcomeJson), null, 2));
    else for (const outcome of outcomes) printResult(outcomeLine(outcome));
  });
}

/** A call, and why it would be rejected; `rejection` is undefined if the call would be admitted. */
interface CallOutcome {
  readonly call: string;
  readonly rejection: CallRejection | undefined;
}

function outcomeLine({ call, rejection }: CallOutcome): string {
  if (rejection === undefined) return `${call}: admitted, with a valid token`;
  return `${call}: ${rejection.status} ${rejection.code}: ${rejection.cause}`;
}

function outcomeJson({ call, rejection }: CallOutcome): object {
  return { call, isAdmitted: rejection === undefined, ...rejection };
}

/** Runs the same checks as the service, in the same order. */
function rejectionOf(
  flag: string,
  grant: AssistantGrant | null,
  settings: Settings,
): CallRejection | undefined {
  const unauthenticated = { status: 401, code: 'unauthenticated' };
  // The service also counts calls, in its last check; a command cannot see the counts.
  const checks: readonly (() => CallRejection | undefined)[] = [
    () => {
      if (!grant) return { ...unauthenticated, cause: 'the buyer never approved this assistant' };
      if (grant.revokedAt) return { ...unauthenticated, cause: 'the grant was revoked' };
      return isLiveApproval(grant)
        ? undefined
        : { ...unauthenticated, cause: 'the grant has expired' };
    },
    () => {
      if (grant && isOnFor(grant, flag, settings)) return undefined;
      const cause = `ROLLOUT_${flag.toUpperCase()} is off for this buyer`;
      return { status: 404, code: 'not_found', cause };
    },
    () => {
      if (grant?.scopes.includes(READ_SCOPE)) return undefined;
      const cause = `the grant does not hold ${READ_SCOPE}`;
      return { status: 403, code: 'insufficient_scope', cause };
    },
  ];
  for (const check of checks) {
    const rejection = check();
    if (rejection !== undefined) return rejection;
  }
  return undefined;
}

/** Returns whether the rollout settings turn an endpoint on for the assistant of a grant. */
function isOnFor(
  { buyerId, clientId, isHosted, scopes }: AssistantGrant,
  flag: string,
  settings: Settings,
): boolean {
  return new SettingsRollout(settings).isOn(flag, {
    type: 'assistant',
    buyerId,
    clientId,
    scopes: new Set(scopes),
    isHosted,
    // `SettingsRollout` does not use this value.
    seesChanges: false,
  });
}

interface RevokeOptions {
  readonly buyer: string;
  readonly client?: string;
  readonly sessions?: boolean;
}

/**
 * `deal-sets revoke`: revokes a buyer's grants to one assistant, or the buyer's website sessions.
 * Succeeds with a note when there is nothing to revoke, so that it can be run again.
 *
 * @throws {CommandError} unless exactly one of `client` and `sessions` is given.
 */
export async function revoke({ buyer, client, sessions }: RevokeOptions): Promise<void> {
  if ((client === undefined) === (sessions === undefined)) {
    throw new CommandError('Specify what to revoke: either --client or --sessions.');
  }
  const live = { buyerId: buyer, revokedAt: IsNull() };
  // Uses the database's clock, as sign-in does when it looks up sessions and grants.
  const now = { revokedAt: (): string => 'statement_timestamp()' };
  const expiresAt = Raw((column) => `${column} > statement_timestamp()`);
  const affected = await withDatabase(async (dataSource, settings) => {
    const result = await retryConflicts(() =>
      client === undefined
        ? dataSource.getRepository(BuyerSession).update({ ...live, expiresAt }, now)
        : dataSource.getRepository(AssistantGrant).update({ ...live, clientId: client }, now),
    );
    writeAuditLine(settings, { action: 'revoke', buyer, client, sessions });
    return result.affected;
  });
  const what = client === undefined ? 'session' : `grant for ${client}`;
  if (!affected) {
    printNote(`Nothing to revoke: buyer ${buyer} has no live ${what}.`);
    return;
  }
  printNote(
    client === undefined
      ? `Revoked every session of buyer ${buyer}: ${affected}.`
      : `Revoked the grant of ${client} for buyer ${buyer}.`,
  );
}
