import {
  HttpException,
  Inject,
  Injectable,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { writeChallenge } from '../http/challenge.js';
import { rawResponse, type RequestContext } from '../http/request-context.js';
import { RequestContextService } from '../http/request-context.service.js';
import { AppError } from '../kernel/app-error.js';
import { frozenPrincipal, type AssistantPrincipal, type Principal } from '../kernel/principal.js';
import { afterRunningTime, withTimeLimit } from '../kernel/time-limit.js';
import { parseUuid } from '../kernel/uuid.js';
import { AssistantAuthenticator } from './assistant-authenticator.js';
import { SessionGuard } from './session.guard.js';

/**
 * The time limit of one sign-in, including waits for keys and for a connection. It limits the
 * stores, so time in which this process did not run does not count. It is an object so that tests
 * of other things can raise it.
 */
export const SIGN_IN_LIMIT = { milliseconds: 1000 };

/**
 * Authenticates the caller. It is the first guard of an endpoint: afterwards the request's context
 * holds a principal, or the request was rejected with `unauthenticated` or `auth_unverifiable`.
 *
 * When there is an Authorization header, it alone decides: an invalid one is rejected even beside a
 * valid session. Without one, the session cookie decides. Tokens in the query or the body, and API
 * keys in headers, are ignored.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  // Injected as properties: the constructor of a public class is part of the package's API.
  @Inject() private readonly requests!: RequestContextService;
  @Inject() private readonly assistants!: AssistantAuthenticator;
  @Inject() private readonly sessions!: SessionGuard;

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const context = this.requests.enter(execution);
    context.signal.throwIfAborted();
    try {
      context.principal = await this.#signIn(execution, context);
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === 'unauthenticated') {
        writeChallenge(rawResponse(execution), context, 'invalid_token');
      }
      throw error;
    }
  }

  async #signIn(execution: ExecutionContext, context: RequestContext): Promise<Principal> {
    const { authorization } = rawResponse(execution).req.headers;
    // A session does not admit to a protected resource (MCP): a web page could make the browser
    // send it.
    const isBearer = authorization !== undefined || context.protectedResource !== undefined;
    const guard = isBearer ? this.assistants : this.sessions;
    const request = execution.switchToHttp().getRequest<{ principal?: unknown }>();
    request.principal = undefined;
    const isAdmitted: unknown = await withinSignInLimit(context, () =>
      guard.canActivate(execution),
    );
    if (isAdmitted !== true) throw new AppError('unauthenticated');
    return verifiedPrincipal(request.principal, isBearer ? 'assistant' : 'session');
  }
}

/**
 * Runs a guard under the sign-in limit and maps its failures to error codes. Meanwhile the
 * context's signal is one that is aborted at the limit.
 */
async function withinSignInLimit(
  context: RequestContext,
  work: () => Promise<boolean>,
): Promise<boolean> {
  const { signal } = context;
  try {
    const begin = (limited: AbortSignal): Promise<boolean> => {
      context.signal = limited;
      return work();
    };
    return await withTimeLimit(SIGN_IN_LIMIT.milliseconds, signal, begin, afterRunningTime);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof AppError) {
      // Either a rejection, or an overload that was detected before the look-up began.
      const isShed = error.code === 'unavailable' && error.retryAfterSeconds !== undefined;
      if (error.code === 'unauthenticated' || isShed) throw error;
    }
    const isRejected = error instanceof HttpException && error.getStatus() === 401;
    throw new AppError(isRejected ? 'unauthenticated' : 'auth_unverifiable', { cause: error });
  } finally {
    context.signal = signal;
  }
}

/**
 * Checks and freezes the principal that a guard has set: passport also admits a request when a
 * strategy calls `pass()`. An incomplete principal counts as not verifiable.
 */
function verifiedPrincipal(named: unknown, type: Principal['type']): Principal {
  const principal = named as { readonly [K in keyof AssistantPrincipal]?: unknown } | undefined;
  if (principal?.type !== type) throw new AppError('unauthenticated');
  const { clientId = '', scopes } = principal;
  const buyerId = parseUuid(principal.buyerId);
  const isNamed = type === 'session' || (typeof clientId === 'string' && clientId !== '');
  if (buyerId === undefined || !isNamed || !(scopes instanceof Set)) {
    throw new AppError('auth_unverifiable', { cause: new Error('the principal is incomplete') });
  }
  if (type === 'session') return frozenPrincipal({ type, buyerId, scopes });
  return frozenPrincipal({
    type,
    buyerId,
    clientId: String(clientId),
    scopes,
    // A missing value counts as the stricter one.
    isHosted: principal.isHosted !== false,
    seesChanges: principal.seesChanges === true,
  });
}
