import { AppError } from '../../kernel/app-error.js';
import { parseUuid } from '../../kernel/uuid.js';
import type { AccessToken } from './access-token-verifier.js';

/** Who may have issued a token, and for whom. */
export interface ExpectedIssuer {
  readonly issuer: string;
  /** A token must be for one of these, compared exactly. */
  readonly audiences: readonly string[];
}

/**
 * How far ahead the issuer's clock may be, in seconds: a token may be used the moment it is issued. Its
 * end is not stretched; a token that has expired by this clock has expired.
 */
export const CLOCK_SKEW_SECONDS = 30;

/** Printable ASCII (RFC 6749, appendix A.1) without blanks, as approvals are kept. */
const CLIENT_ID = /^[\x21-\x7E]{1,256}$/;

/**
 * Reads a token's claims (RFC 9068, section 2.2).
 *
 * @throws {AppError} `unauthenticated` when one is missing, of the wrong type, out of its time, of another
 *   issuer or for another audience.
 */
export function readClaims(
  claims: Record<string, unknown>,
  expected: ExpectedIssuer,
  nowSeconds: number,
): { readonly accessToken: AccessToken; readonly expiresAtSeconds: number } {
  const { iss, aud, exp, iat, nbf, sub, scope } = claims;
  const buyerId = parseUuid(sub);
  const clientId = assistantOf(claims);
  const audiences = audiencesOf(aud, expected.audiences);
  if (
    iss !== expected.issuer ||
    audiences.length === 0 ||
    !isSeconds(exp) ||
    nowSeconds >= exp ||
    !isSeconds(iat) ||
    iat > nowSeconds + CLOCK_SKEW_SECONDS ||
    (nbf !== undefined && (!isSeconds(nbf) || nbf > nowSeconds + CLOCK_SKEW_SECONDS)) ||
    buyerId === undefined ||
    clientId === undefined ||
    (scope !== undefined && typeof scope !== 'string')
  ) {
    throw new AppError('unauthenticated');
  }
  const scopes = scope === undefined ? [] : scope.split(' ').filter((name) => name !== '');
  return { accessToken: { buyerId, clientId, scopes, audiences }, expiresAtSeconds: exp };
}

/** `client_id`, or the acting party (RFC 8693, section 4.1); undefined when either is malformed. */
function assistantOf({ client_id: client, act }: Record<string, unknown>): string | undefined {
  if (!isClientId(client)) return undefined;
  if (act === undefined) return client;
  if (typeof act !== 'object' || act === null || !('sub' in act)) return undefined;
  return isClientId(act.sub) ? act.sub : undefined;
}

function isClientId(value: unknown): value is string {
  return typeof value === 'string' && CLIENT_ID.test(value);
}

/** Those of the accepted audiences that the token names; none when `aud` is malformed. */
function audiencesOf(aud: unknown, accepted: readonly string[]): readonly string[] {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (!named.every((name) => typeof name === 'string')) return [];
  return accepted.filter((audience) => named.includes(audience));
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
