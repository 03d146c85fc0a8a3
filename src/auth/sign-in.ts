import { HttpException, Injectable } from '@nestjs/common';
import { AppError } from '../kernel/app-error.js';
import { callPort, PortError } from '../kernel/port.js';
import { frozenPrincipal, type AssistantPrincipal, type Principal } from '../kernel/principal.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { parseUuid } from '../kernel/uuid.js';
import { AssistantAuthenticator } from './bearer/assistant-authenticator.js';
import { SessionAuthenticator } from './session/session-authenticator.js';
import type { SignInRequest } from './sign-in-request.js';

/**
 * Signs a caller in: turns the headers of a request into a principal, or rejects them with
 * `unauthenticated` or `auth_unverifiable`. `AdmissionGuard` calls it; any other protocol can.
 *
 * If there is an Authorization header, only the header counts: an invalid one is rejected even when
 * the session is valid. Otherwise the session cookie counts. Tokens in the query or the body, and
 * API keys in headers, are ignored.
 */
@Injectable()
export class SignIn {
  /** @internal */
  constructor(
    private readonly assistants: AssistantAuthenticator,
    private readonly sessions: SessionAuthenticator,
    private readonly limits: TimeLimits,
  ) {}

  /**
   * Signs the caller of a request in.
   *
   * @param request its headers; the signal of its deadline; and the protected resource that it is
   *   for, if any, which does not accept the session cookie, because a web page could make the
   *   browser send it.
   * @returns the checked and frozen principal.
   * @throws {AppError} `unauthenticated` when no credential was presented or it was refuted;
   *   `auth_unverifiable` when it could be neither confirmed nor refuted.
   * @throws the reason of the signal when the signal is aborted.
   */
  async authenticate({ headers, signal, resource }: SignInRequest): Promise<Principal> {
    const isBearer = headers['authorization'] !== undefined || resource !== undefined;
    const identified = await withinLimit(
      this.limits.signInMs,
      signal,
      (limit): Promise<unknown> => {
        const request = { headers, signal: limit, resource };
        return isBearer
          ? callPort('AssistantAuthenticator', () => this.assistants.authenticate(request))
          : this.sessions.authenticate(request);
      },
    );
    return verifiedPrincipal(identified, isBearer ? 'assistant' : 'session');
  }
}

/** Runs a sign-in under its time limit and maps its failures to error codes. */
async function withinLimit(
  limitMs: number,
  signal: AbortSignal,
  signIn: (limited: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await withTimeLimit(limitMs, signal, signIn);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) {
      // Decisions pass, and so does an overload that was detected before the look-up began.
      const isOverload = error.code === 'unavailable' && error.retryAfterSeconds !== undefined;
      const isDecided = error.code === 'unauthenticated' || error.code === 'auth_unverifiable';
      if (isDecided || isOverload) throw error;
    }
    const thrown = error instanceof PortError ? error.cause : error;
    const isRejected = thrown instanceof HttpException && thrown.getStatus() === 401;
    throw new AppError(isRejected ? 'unauthenticated' : 'auth_unverifiable', { cause: error });
  }
}

/**
 * Checks and freezes the principal that an authenticator has returned. An incomplete principal
 * becomes `auth_unverifiable`.
 */
function verifiedPrincipal(identified: unknown, type: Principal['type']): Principal {
  const principal = identified as
    { readonly [K in keyof AssistantPrincipal]?: unknown } | null | undefined;
  if (principal?.type !== type) throw new AppError('unauthenticated');
  const { clientId = '', scopes } = principal;
  const buyerId = parseUuid(principal.buyerId);
  if (buyerId === undefined) throw unverifiable('BUYER_ID_NOT_UUID');
  if (type === 'session') return frozenPrincipal({ type, buyerId });
  if (typeof clientId !== 'string' || clientId === '') throw unverifiable('CLIENT_ID_MISSING');
  if (!(scopes instanceof Set)) throw unverifiable('SCOPES_NOT_A_SET');
  return frozenPrincipal({
    type,
    buyerId,
    clientId,
    scopes,
    // A missing value counts as the stricter one.
    isHosted: principal.isHosted !== false,
    seesChanges: principal.seesChanges === true,
  });
}

function unverifiable(reason: InvalidPrincipalError['code']): AppError {
  return new AppError('auth_unverifiable', { cause: new InvalidPrincipalError(reason) });
}

/** Thrown for a principal that cannot be used. The request's log line contains the code. */
class InvalidPrincipalError extends Error {
  override readonly name = 'InvalidPrincipalError';

  constructor(readonly code: 'BUYER_ID_NOT_UUID' | 'CLIENT_ID_MISSING' | 'SCOPES_NOT_A_SET') {
    super('an authenticator or a store returned an incomplete principal');
  }
}
