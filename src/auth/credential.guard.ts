import { HttpException, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { policyOf, type EndpointPolicy } from '../http/endpoint-policy.js';
import { principalOf, rawResponse, type RequestContext } from '../http/request-context.js';
import { Requests } from '../http/requests.js';
import { AppError } from '../kernel/app-error.js';
import { frozenPrincipal, type AssistantPrincipal, type Principal } from '../kernel/principal.js';
import { afterRunningTime, withTimeLimit } from '../kernel/time-limit.js';
import { parseUuid } from '../kernel/uuid.js';
import { AssistantGuard } from './jwt-bearer.guard.js';
import { SessionGuard } from './session.guard.js';

/**
 * The time that one sign-in may take, its waits for keys and for a connection included. It is a limit for the stores,
 * so time in which this process did not run does not count. An object, so that tests of other things can raise it.
 */
export const SIGN_IN_LIMIT = { milliseconds: 1000 };

type SignInRequest = RequestContext['input'] & {
  principal?: unknown;
  /** Where Fastify has the route's pattern; Express has it in `route`. */
  readonly routeOptions?: { readonly url?: string };
  readonly route?: { readonly path?: string };
};

/**
 * Finds out who is calling: the first guard of an endpoint. Afterwards the request's context holds a
 * principal, or the call was refused with `unauthenticated` or `auth_unverifiable`.
 *
 * An Authorization header decides alone: a bad one is refused even beside a live session. Without one, the session
 * cookie decides. Tokens in the query or the body, and API keys in headers, are not looked at.
 */
@Injectable()
export class CredentialGuard implements CanActivate {
  constructor(
    private readonly requests: Requests,
    private readonly assistants: AssistantGuard,
    private readonly sessions: SessionGuard,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const policy = policyOf(execution);
    const response = rawResponse(execution);
    const context = this.requests.begin(response);
    const request = execution.switchToHttp().getRequest<SignInRequest>();
    context.policy = policy;
    context.input = request;
    context.route ??= request.routeOptions?.url ?? request.route?.path;
    context.signal.throwIfAborted();

    // A session opens no endpoint with a protocol of its own: a web page could send one along.
    const { authorization } = response.req.headers;
    const isBearer = authorization !== undefined || policy.protocol !== undefined;
    const guard = isBearer ? this.assistants : this.sessions;
    request.principal = undefined;
    const isAdmitted: unknown = await inTime(context, () => guard.canActivate(execution));
    if (isAdmitted !== true) throw new AppError('unauthenticated');
    context.principal = verified(request.principal, isBearer ? 'assistant' : 'session');
    return true;
  }
}

/** Runs a guard of sign-in, and gives its failures their codes. Meanwhile the request's signal ends with the limit. */
async function inTime(context: RequestContext, work: () => Promise<boolean>): Promise<boolean> {
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
      // A refutation, or load shed before the look-up began.
      const isShed = error.code === 'unavailable' && error.retryAfterSeconds !== undefined;
      if (error.code === 'unauthenticated' || isShed) throw error;
    }
    const isRefused = error instanceof HttpException && error.getStatus() === 401;
    throw new AppError(isRefused ? 'unauthenticated' : 'auth_unverifiable', { cause: error });
  } finally {
    context.signal = signal;
  }
}

/**
 * The principal that a guard named, checked and frozen: no guard is trusted to have named someone, since passport
 * lets a request in when a strategy passes. One that is incomplete could not be verified.
 */
function verified(named: unknown, type: Principal['type']): Principal {
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
    // What a guard leaves out counts as the stricter value.
    isHosted: principal.isHosted !== false,
    seesChanges: principal.seesChanges === true,
  });
}

@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(execution: ExecutionContext): boolean {
    checkScope(policyOf(execution), principalOf(execution));
    return true;
  }
}

/**
 * @throws {AppError} `forbidden` for a type of principal that the endpoint does not admit;
 *   `insufficient_scope` where the credential does not hold its scope, compared exactly.
 */
export function checkScope({ principals, scope }: EndpointPolicy, principal: Principal): void {
  if (principals?.includes(principal.type) === false) throw new AppError('forbidden');
  if (!principal.scopes.has(scope)) throw new AppError('insufficient_scope', { scope });
}
