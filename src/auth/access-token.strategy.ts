import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy, type StrategyOptionsWithRequest } from 'passport-jwt';
import { findContext, rawOf } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import type { ApprovedAssistants } from './approved-assistants.js';
import { bearerToken } from './bearer-header.js';
import {
  CLOCK_SKEW_SECONDS,
  decodeAccessToken,
  readAccessToken,
  SIGNING_ALGORITHMS,
} from './decode-access-token.js';
import type { TokenIssuer } from './token-issuer.js';

/** The token of the application's strategy. */
export const ACCESS_TOKEN_STRATEGY = Symbol('access token strategy');

/** The strategy of one application, registered with passport under a name of its own. */
export interface AccessTokenStrategy {
  readonly strategyName: string;
}

/** What passport-jwt hands over with `complete`. */
interface VerifiedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/**
 * Makes the `passport-jwt` strategy of an application. passport's registry belongs to the whole process and the last
 * to register a name wins, so each application has a name of its own.
 *
 * passport-jwt asks for the key before it checks anything, so the key provider first refutes what needs no key; and
 * its verifier accepts ID tokens, unknown critical headers and tokens without `exp` or `sub`, so `validate` checks
 * header and claims by the same rules.
 */
export function createAccessTokenStrategy(
  issuer: TokenIssuer,
  assistants: ApprovedAssistants,
): AccessTokenStrategy {
  const strategyName = `deal-sets-${randomUUID()}`;

  class JwtStrategy
    extends PassportStrategy(Strategy, strategyName)
    implements AccessTokenStrategy, OnApplicationShutdown
  {
    readonly strategyName = strategyName;

    constructor() {
      const options: StrategyOptionsWithRequest = {
        jwtFromRequest: (request: object) => bearerToken(messageOf(request)) ?? null,
        secretOrKeyProvider: (_request, token: string, done) => {
          keyOf(token, issuer).then(
            (key) => done(null, key as never),
            (error: unknown) => done(error),
          );
        },
        issuer: issuer.issuer,
        audience: [...issuer.audiences],
        algorithms: [...SIGNING_ALGORITHMS],
        // `complete`: `validate` gets the header too.
        // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `complete` and `clockTolerance`
        jsonWebTokenOptions: { complete: true, clockTolerance: CLOCK_SKEW_SECONDS },
        passReqToCallback: true,
      };
      super(options);
    }

    async validate(
      request: object,
      { header, payload }: VerifiedToken,
    ): Promise<AssistantPrincipal> {
      const { accessToken } = readAccessToken(header, payload, issuer, nowSeconds());
      const context = findContext(messageOf(request));
      if (!context) throw new Error('the credential guard has not run');
      const { audiences } = context.protectedResource ?? {};
      if (audiences && !accessToken.audiences.some((name) => audiences.includes(name))) {
        throw new AppError('unauthenticated', { refusal: 'audience' });
      }
      return assistants.principalOf(accessToken, context.signal);
    }

    onApplicationShutdown(): void {
      passport.unuse(strategyName);
    }
  }
  return new JwtStrategy();
}

/** @throws {AppError} `unauthenticated`; anything else when the issuer's keys are out of reach. */
async function keyOf(token: string, issuer: TokenIssuer): Promise<unknown> {
  const { keyId, algorithm } = decodeAccessToken(token, issuer, nowSeconds());
  const key = await issuer.findKey(keyId, algorithm);
  if (!key) throw new AppError('unauthenticated', { refusal: 'unknown_key' });
  return key;
}

function messageOf(request: object): IncomingMessage {
  return rawOf(request) as IncomingMessage;
}

function nowSeconds(): number {
  return Date.now() / 1000;
}
