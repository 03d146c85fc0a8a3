import { randomUUID } from 'node:crypto';
import {
  Injectable,
  type CanActivate,
  type ExecutionContext,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { contextOfRequest, rawRequest, rawResponse } from '../http/request-context.js';
import { AppError, type Refusal } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import {
  CLOCK_SKEW_SECONDS,
  decodeAccessToken,
  readAccessToken,
  SIGNING_ALGORITHMS,
  TokenIssuer,
  type Members,
} from './access-token.js';
import { ApprovedAssistants } from './grant-store.js';

/**
 * Admits an assistant by its Authorization header. The default is `JwtBearerGuard`: JWT access tokens of the
 * configured issuer.
 *
 * Guarantees: it returns true only after it has put an `AssistantPrincipal` on `request.principal`, made from what it
 * has verified; `ApprovedAssistants` makes one from a buyer, an assistant and scopes.
 * Must never: admit a credential that it could not verify, or log it.
 * When it fails: `UnauthorizedException`, `AppError` with `unauthenticated` and false are 401; anything else it throws,
 * and taking over a second, is 503 `auth_unverifiable`. `requestSignal(context)` is the request's time.
 */
export abstract class AssistantGuard implements CanActivate {
  abstract canActivate(context: ExecutionContext): Promise<boolean>;
}

/** RFC 6750, section 2.1: the scheme in any case, blanks, and one token of the `b64token` alphabet. */
const BEARER = /^bearer +([A-Za-z0-9\-._~+/]+=*)$/i;

/**
 * The token of a request's one Authorization header, or undefined when the header does not hold exactly
 * one bearer token, or is sent twice: Node silently keeps the first in `headers`.
 */
export function bearerToken(rawHeaders: readonly string[]): string | undefined {
  const values = rawHeaders.filter(
    (_, index) => rawHeaders[index - 1]?.toLowerCase() === 'authorization' && index % 2 === 1,
  );
  return values.length === 1 ? BEARER.exec(values[0] ?? '')?.[1] : undefined;
}

/** What passport-jwt hands over with `complete`. */
type VerifiedToken = Readonly<Record<'header' | 'payload', Members>>;

/**
 * The `passport-jwt` strategy of an application, by a name of its own: passport's registry is the whole process's.
 *
 * passport-jwt asks for the key before it checks anything, so the key provider first refutes what needs no key; and
 * its verifier accepts ID tokens, unknown critical headers and tokens without `exp` or `sub`, so header and claims of
 * what it has verified are checked by the same rules.
 */
@Injectable()
export class AccessTokenStrategy implements OnApplicationShutdown {
  readonly name = `deal-sets-${randomUUID()}`;

  constructor(
    private readonly issuer: TokenIssuer,
    private readonly assistants: ApprovedAssistants,
  ) {
    const strategy = new Strategy(
      {
        jwtFromRequest: (request: object) => bearerToken(rawRequest(request).rawHeaders) ?? null,
        secretOrKeyProvider: (_request, token: string, done) => {
          this.#keyOf(token).then((key) => done(null, key as never), done);
        },
        issuer: issuer.issuer,
        audience: [...issuer.audiences],
        algorithms: [...SIGNING_ALGORITHMS],
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `complete` and `clockTolerance`
        jsonWebTokenOptions: { complete: true, clockTolerance: CLOCK_SKEW_SECONDS },
        passReqToCallback: true,
      },
      (request: object, token: VerifiedToken, done) => {
        this.#principalOf(request, token).then((principal) => done(null, principal), done);
      },
    );
    passport.use(this.name, strategy);
  }

  onApplicationShutdown(): void {
    passport.unuse(this.name);
  }

  async #keyOf(token: string): Promise<unknown> {
    const { keyId, algorithm } = decodeAccessToken(token, this.issuer, Date.now() / 1000);
    const key = await this.issuer.findKey(keyId, algorithm);
    if (!key) throw new AppError('unauthenticated', { refusal: 'unknown_key' });
    return key;
  }

  async #principalOf(request: object, token: VerifiedToken): Promise<AssistantPrincipal> {
    const { header, payload } = token;
    const { accessToken } = readAccessToken(header, payload, this.issuer, Date.now() / 1000);
    const { protectedResource, signal } = contextOfRequest(request);
    const { audiences } = protectedResource ?? {};
    if (audiences && !accessToken.audiences.some((name) => audiences.includes(name))) {
      throw new AppError('unauthenticated', { refusal: 'audience' });
    }
    return this.assistants.principalOf(accessToken, signal);
  }
}

/** The errors with which passport-jwt's library refutes a token whose header and claims are in order. */
const REFUSALS: Readonly<Record<string, Refusal>> = {
  JsonWebTokenError: 'signature',
  TokenExpiredError: 'expired',
  NotBeforeError: 'not_yet_valid',
};

/** Admits an assistant by a JWT access token: by the passport strategy that the module's `AuthModuleOptions` name. */
@Injectable()
export class JwtBearerGuard extends AuthGuard() implements AssistantGuard {
  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    if (bearerToken(rawResponse(execution).req.rawHeaders) === undefined) {
      throw new AppError('unauthenticated', { refusal: 'malformed' });
    }
    return (await super.canActivate(execution)) as boolean;
  }

  /**
   * passport hands over what the strategy reports: a failed key download as "no user" with the error in `info`. Only
   * a refutation is 401; anything else leaves the token unverifiable.
   */
  override handleRequest<TUser>(error: unknown, principal: TUser | false, info: unknown): TUser {
    const reason = error ?? info;
    if (reason instanceof AppError) throw reason;
    const refusal = reason instanceof Error ? REFUSALS[reason.name] : undefined;
    if (refusal) throw new AppError('unauthenticated', { cause: reason, refusal });
    if (reason || !principal) throw new AppError('auth_unverifiable', { cause: reason });
    return principal;
  }
}
