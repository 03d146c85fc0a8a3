import { DevelopmentIssuer } from '../../auth/issuer/development-issuer.js';
import { loadServiceSettings } from '../../config/service-settings.js';
import { mcpAudiences } from '../../auth/mcp-resource.js';
import { approvalsOf, isLiveApproval } from '../approvals.js';
import { CommandError, printNote, printResult, withDatabase } from './command-line.js';

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

/**
 * `deal-sets token`: prints an access token of the development issuer.
 *
 * @param options `ttl` in seconds.
 * @throws {CommandError} when the settings specify a real issuer, or production.
 */
export async function runToken({ buyer, client, scope, ttl }: TokenOptions): Promise<void> {
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
