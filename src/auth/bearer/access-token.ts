import { decodeJwt, decodeProtectedHeader } from 'jose';
import { RFC_9068, type TokenFormat } from '../../config/settings-table.js';
import { AppError, type CredentialRejectionReason } from '../../kernel/app-error.js';
import { CLIENT_ID } from '../../kernel/principal.js';
import { resourceName } from '../../kernel/resource-name.js';
import { parseUuid } from '../../kernel/uuid.js';
import {
  SIGNING_ALGORITHMS,
  type SigningAlgorithm,
  type TokenIssuer,
} from '../issuer/token-issuer.js';

/** The contents of an assistant's verified credential, whatever its format. */
export interface AssistantCredential {
  /** The buyer who approved the assistant; in a JWT, the claim `AUTH_BUYER_CLAIM`. */
  readonly buyerId: string;
  /**
   * The assistant's id; in a JWT, `act.sub` if there is an `act` claim, otherwise the claim
   * `AUTH_CLIENT_CLAIM`.
   */
  readonly clientId: string;
  readonly scopes: readonly string[];
  /**
   * When the credential was issued; in a JWT, the `iat` claim. If it is undefined, the credential
   * is not compared with the time of the approval.
   */
  readonly issuedAt?: Date | undefined;
}

/** The claims of an access token that the service uses. */
export interface AccessToken extends AssistantCredential {
  /** The token's audiences, limited to those that the service accepts. */
  readonly audiences: readonly string[];
}

/** The members of a token's header that determine the key of its signature. */
interface KeyHeader {
  readonly algorithm: SigningAlgorithm;
  readonly keyId: string;
}

/** A token that nothing but its signature or the buyer's approval can reject. */
export interface UnverifiedToken extends KeyHeader {
  readonly accessToken: AccessToken;
}

/**
 * How many seconds the issuer's clock may be ahead, so that a new token can be used at once. It
 * does not extend a token's lifetime.
 */
export const CLOCK_SKEW_SECONDS = 30;

/** Maximum length of a token in characters. Ordinary access tokens are much shorter. */
const MAX_TOKEN_CHARACTERS = 8192;
/** An ES256 signature is two numbers of 32 bytes (RFC 7518, section 3.4). */
const ES256_SIGNATURE_BYTES = 64;
/**
 * Whether a `typ` header belongs to an access token, by `AUTH_TOKEN_TYPE`. The type of RFC 9068,
 * section 2.1, distinguishes access tokens from ID tokens. Even where it is not required, any other
 * explicit type, such as `logout+jwt`, is rejected (RFC 8725, section 3.11).
 */
const TYPE_CHECKS: Readonly<Record<TokenFormat['tokenType'], (typ: unknown) => boolean>> = {
  'at+jwt': (typ) => typeof typ === 'string' && /^(application\/)?at\+jwt$/i.test(typ),
  any: (typ) =>
    typ === undefined || (typeof typ === 'string' && /^(application\/)?(at\+)?jwt$/i.test(typ)),
};

/**
 * Claims that only ID tokens have (OpenID Connect Core 1.0, sections 2 and 3.3.2.11; FAPI 1.0 for
 * `s_hash`).
 */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'] as const;

/** What a token is compared with. */
type ExpectedToken = Pick<TokenIssuer, 'issuer' | 'audiences' | 'format'>;

/** A parsed JSON object, such as the claims of a token, whose members have not been checked. */
type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Reads a token, and rejects it if that is possible without the issuer's keys. A malformed or
 * expired token is therefore rejected with 401 even while the keys cannot be downloaded. The
 * signature is verified over the text that is read here, so the claims need not be read again.
 *
 * @param nowSeconds seconds since 1970.
 * @throws {AppError} `unauthenticated` with the rejection reason.
 */
export function readAccessToken(
  token: string,
  expected: ExpectedToken,
  nowSeconds: number,
): UnverifiedToken {
  if (token.length > MAX_TOKEN_CHARACTERS) throw rejected('malformed');
  const { header, claims, signature } = decode(token);
  const key = readHeader(header, expected.format);
  const accessToken = readClaims(claims, expected, nowSeconds);
  if (key.algorithm === 'ES256' && signature.length !== ES256_SIGNATURE_BYTES) {
    throw rejected('malformed');
  }
  return { ...key, accessToken };
}

/**
 * Checks the header of an access token (RFC 9068, sections 2.1 and 4).
 *
 * A token with `crit` is rejected because the service does not support any critical header, and a
 * token with `b64` because that header changes what is signed (RFC 7797). Headers that contain or
 * refer to a key (`jwk`, `jku`, `x5c`, `x5u`) are ignored: only the configured issuer's keys are
 * used.
 *
 * @throws {AppError} `unauthenticated` with the rejection reason.
 */
function readHeader(header: JsonObject, { tokenType }: TokenFormat): KeyHeader {
  const { alg, typ, kid } = header;
  const algorithm = SIGNING_ALGORITHMS.find((name) => name === alg);
  if (!TYPE_CHECKS[tokenType](typ)) throw rejected('wrong_type');
  if (algorithm === undefined) throw rejected('algorithm');
  if (typeof kid !== 'string' || kid === '') throw rejected('malformed');
  if ('crit' in header || 'b64' in header) throw rejected('malformed');
  return { algorithm, keyId: kid };
}

/**
 * Reads the claims of an access token (RFC 9068, sections 2.2 and 4), by the names that its format
 * gives them. With `AUTH_TOKEN_TYPE=any`, the claim with the scopes is required, because ID tokens
 * have none.
 *
 * @param nowSeconds seconds since 1970.
 * @throws {AppError} `unauthenticated` with the rejection reason.
 */
function readClaims(claims: JsonObject, expected: ExpectedToken, nowSeconds: number): AccessToken {
  const { tokenType, clientClaim, buyerClaim } = expected.format;
  const { iss, aud, exp, iat, nbf } = claims;
  const latest = nowSeconds + CLOCK_SKEW_SECONDS;
  if (iss !== expected.issuer) throw rejected('issuer');
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  const areNames = named.every((name) => typeof name === 'string');
  const resources = areNames ? named.map(resourceName) : [];
  const audiences = expected.audiences.filter((audience) => resources.includes(audience));
  if (audiences.length === 0) throw rejected('audience');
  // The service does not check the proof of possession, so it must not accept a key-bound token as
  // a bearer token.
  if ('cnf' in claims) throw rejected('key_bound');
  if (tokenType === 'any' && ID_TOKEN_CLAIMS.some((name) => name in claims)) {
    throw rejected('wrong_type');
  }
  if (!isSeconds(exp) || !isSeconds(iat)) throw rejected('claims');
  if (nowSeconds >= exp) throw rejected('expired');
  if (iat > latest) throw rejected('not_yet_valid');
  if (nbf !== undefined && (!isSeconds(nbf) || nbf > latest)) throw rejected('not_yet_valid');
  const buyerId = parseUuid(claims[buyerClaim]);
  const clientId = assistantIdOf(claims, clientClaim);
  const scopes = scopesOf(claims, expected.format);
  if (buyerId === undefined || clientId === undefined || scopes === undefined) {
    throw rejected('claims');
  }
  return { buyerId, clientId, scopes, audiences, issuedAt: new Date(iat * 1000) };
}

function rejected(rejectionReason: CredentialRejectionReason): AppError {
  return new AppError('unauthenticated', { rejectionReason });
}

/** A compact JWS: three segments of base64url (RFC 7515, section 7.1). */
const COMPACT_JWS = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** The segments of a token, decoded. */
interface DecodedToken {
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly signature: Buffer;
}

function decode(token: string): DecodedToken {
  if (!COMPACT_JWS.test(token)) throw rejected('malformed');
  const text = token.slice(token.lastIndexOf('.') + 1);
  const signature = Buffer.from(text, 'base64url');
  // Unused bits of the last character are not zero.
  if (signature.toString('base64url') !== text) throw rejected('malformed');
  try {
    return { header: { ...decodeProtectedHeader(token) }, claims: decodeJwt(token), signature };
  } catch {
    throw rejected('malformed');
  }
}

/**
 * Returns the id of the acting party (RFC 8693, section 4.1), or the id of the client if there is
 * no `act` claim. Returns undefined if either id is malformed.
 */
function assistantIdOf(claims: JsonObject, clientClaim: string): string | undefined {
  const { [clientClaim]: client, act } = claims;
  const acting = act === undefined ? client : ((act ?? {}) as JsonObject)['sub'];
  const areIds = [client, acting].every((id) => typeof id === 'string' && CLIENT_ID.test(id));
  return areIds ? String(acting) : undefined;
}

/**
 * Returns the scopes of a token: a text with blanks between them or, in a format other than that of
 * RFC 9068, also a list. Returns undefined for anything else. Only RFC 9068 allows a token without
 * the claim, which then has no scopes.
 */
function scopesOf(
  claims: JsonObject,
  { tokenType, scopeClaim }: TokenFormat,
): readonly string[] | undefined {
  const { [scopeClaim]: value = tokenType === 'any' ? undefined : '' } = claims;
  if (typeof value === 'string') return value.split(' ').filter((name) => name !== '');
  const isStandard = tokenType === RFC_9068.tokenType && scopeClaim === RFC_9068.scopeClaim;
  if (isStandard || !Array.isArray(value)) return undefined;
  return value.every((name) => typeof name === 'string') ? value : undefined;
}

function isSeconds(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
