import {
  HttpException,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { headersOf } from '../http/context/distinct-headers.js';
import { RequestContextService } from '../http/context/request-context.service.js';
import { AppError } from '../kernel/app-error.js';
import { frozenPrincipal, type AssistantPrincipal, type Principal } from '../kernel/principal.js';
import { afterRunningTime, withTimeLimit } from '../kernel/time-limit.js';
import { parseUuid } from '../kernel/uuid.js';
import { AssistantAuthenticator } from './bearer/assistant-authenticator.js';
import { SessionAuthenticator } from './session/session-authenticator.js';

/**
 * The time limit of one sign-in, including waits for keys and for a database connection. Time in
 * which this process did not run is not counted, because the limit is meant for the stores.
 * The constant is an object so that unrelated tests can raise the limit.
 */
export const SIGN_IN_LIMIT = { milliseconds: 1000 };

/**
 * The number of header lines at which a request is rejected. Older versions of Node drop the lines
 * that follow without an error, and with them an Authorization header or a second session cookie.
 * Newer ones reject the request with 431.
 */
const MAX_HEADER_LINES = 1000;

/**
 * Authenticates the caller, as the first guard of an endpoint. It stores the checked and frozen
 * principal in the request's context, or rejects the request with `unauthenticated` or
 * `auth_unverifiable`.
 *
 * If there is an Authorization header, only the header counts: an invalid one is rejected even when
 * the session is valid. Otherwise the session cookie counts. Tokens in the query or the body, and
 * API keys in headers, are ignored.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  // The dependencies are injected as properties because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly requests!: RequestContextService;
  @Inject() private readonly assistants!: AssistantAuthenticator;
  @Inject() private readonly sessions!: SessionAuthenticator;

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const context = this.requests.enterEndpoint(execution);
    // A guard on the controller and one on its handler sign the caller in once.
    if (context.principal) return true;
    const { protectedResource: resource } = context;
    const { req: request } = context.response;
    if (request.rawHeaders.length >= 2 * MAX_HEADER_LINES) {
      throw new AppError('unauthenticated', { rejectionReason: 'malformed' });
    }
    const headers = headersOf(request);
    // A protected resource (MCP) does not accept the session cookie, because a web page could make
    // the browser send it.
    const isBearer = headers['authorization'] !== undefined || resource !== undefined;
    const authenticator = isBearer ? this.assistants : this.sessions;
    const authenticated = await withinSignInLimit(context.deadline.signal, (signal) =>
      authenticator.authenticate({ headers, signal, resource }),
    );
    context.setPrincipal(verifiedPrincipal(authenticated, isBearer ? 'assistant' : 'session'));
    return true;
  }
}

/** Runs a sign-in under its time limit and maps its failures to error codes. */
async function withinSignInLimit(
  signal: AbortSignal,
  signIn: (limited: AbortSignal) => Promise<unknown>,
): Promise<unknown> {
  try {
    return await withTimeLimit(SIGN_IN_LIMIT.milliseconds, signal, signIn, afterRunningTime);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) {
      // Rejections pass, and so does an overload that was detected before the look-up began.
      const isOverload = error.code === 'unavailable' && error.retryAfterSeconds !== undefined;
      if (error.code === 'unauthenticated' || isOverload) throw error;
    }
    const isRejected = error instanceof HttpException && error.getStatus() === 401;
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
