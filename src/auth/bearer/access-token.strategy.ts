import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../../kernel/app-error.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { spellingsOf } from '../../kernel/resource-name.js';
import {
  CLOCK_SKEW_SECONDS,
  checkBeforeSignature,
  readClaims,
  type JsonObject,
} from './access-token.js';
import { ApprovedAssistants } from './approved-assistants.js';
import type { SignInRequest } from './assistant-authenticator.js';
import { SIGNING_ALGORITHMS, TokenIssuer } from '../issuer/token-issuer.js';

/** A bearer token as a request presents it. For passport, this is the request. */
export interface PresentedToken extends Pick<SignInRequest, 'resource' | 'signal'> {
  readonly token: string;
}

/**
 * The `passport-jwt` strategy: verifies the signature of an access token and finds the assistant
 * that presents it.
 *
 * passport-jwt looks up the key before it checks anything. It also accepts ID tokens, unknown
 * critical headers and tokens without `exp` or `sub`. The key provider therefore rejects every
 * token that can be rejected without a key first; what remains for passport-jwt is the signature.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  /** A passport with this strategy alone. */
  declare passport: passport.Authenticator;

  constructor(
    private readonly issuer: TokenIssuer,
    private readonly assistants: ApprovedAssistants,
  ) {
    super({
      jwtFromRequest: ({ token }: PresentedToken) => token,
      secretOrKeyProvider: (presented: PresentedToken, _token: string, done) => {
        findVerificationKey(issuer, presented).then((key) => done(null, key as never), done);
      },
      issuer: issuer.issuer,
      audience: issuer.audiences.flatMap(spellingsOf),
      algorithms: [...SIGNING_ALGORITHMS],
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `clockTolerance`
      jsonWebTokenOptions: { clockTolerance: CLOCK_SKEW_SECONDS },
      passReqToCallback: true,
    });
  }

  /** Called by passport-jwt with the claims after it has verified the signature. */
  async validate(
    { resource, signal }: PresentedToken,
    claims: JsonObject,
  ): Promise<AssistantPrincipal> {
    const accessToken = readClaims(claims, this.issuer, Date.now() / 1000);
    if (resource && !accessToken.audiences.some((name) => resource.audiences.includes(name))) {
      throw new AppError('unauthenticated', { rejectionReason: 'audience' });
    }
    return this.assistants.findPrincipal(accessToken, signal);
  }

  /**
   * Registers the strategy in a passport of its own, because the process shares the default one and
   * may run several applications. The constructor of `PassportStrategy` calls it.
   */
  protected getPassportInstance(): Pick<passport.Authenticator, 'use'> {
    this.passport = new passport.Passport();
    return this.passport;
  }
}

/**
 * Finds the key that verifies a token, after the checks that need no key.
 *
 * @throws {AppError} `unauthenticated` for a token that can be rejected without a key, or whose key
 *   the issuer does not have.
 * @throws the reason of the sign-in's signal when the signal is aborted.
 */
async function findVerificationKey(
  issuer: TokenIssuer,
  { token, signal }: PresentedToken,
): Promise<unknown> {
  const { keyId, algorithm } = checkBeforeSignature(token, issuer, Date.now() / 1000);
  const key = await issuer.findKey(keyId, algorithm);
  // The response may already have been sent during the key look-up.
  signal.throwIfAborted();
  if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
  return key;
}
