import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../../kernel/app-error.js';
import type { AssistantPrincipal } from '../../kernel/principal.js';
import { Settings } from '../../config/settings.js';
import { spellingsOf } from '../../kernel/resource-name.js';
import { mcpAudiences } from '../mcp-resource.js';
import { SIGNING_ALGORITHMS, TokenIssuer } from '../issuer/token-issuer.js';
import { CLOCK_SKEW_SECONDS, type UnverifiedToken } from './access-token.js';
import { ApprovedAssistants } from './approved-assistants.js';

/** A token whose signature has not been verified yet. For passport, this is the request. */
export interface PresentedToken extends UnverifiedToken {
  readonly token: string;
  /** Aborted when the sign-in has to end. */
  readonly signal: AbortSignal;
}

/**
 * The `passport-jwt` strategy: verifies the signature of an access token and finds the assistant
 * that presents it.
 *
 * passport-jwt looks up the key before it checks anything, and accepts ID tokens, critical headers
 * and tokens without `exp` or `sub`. `readAccessToken` therefore reads a token first.
 */
@Injectable()
export class AccessTokenStrategy extends PassportStrategy(Strategy) {
  /** A passport with this strategy alone. */
  declare passport: passport.Authenticator;

  constructor(
    issuer: TokenIssuer,
    settings: Settings,
    private readonly assistants: ApprovedAssistants,
  ) {
    super({
      jwtFromRequest: ({ token }: PresentedToken) => token,
      secretOrKeyProvider: (presented: PresentedToken, _token: string, done) => {
        findVerificationKey(issuer, presented).then((key) => done(null, key as never), done);
      },
      issuer: issuer.issuer,
      // `readAccessToken` has checked which of these the request requires.
      audience: [...issuer.audiences, ...mcpAudiences(settings)].flatMap(spellingsOf),
      algorithms: [...SIGNING_ALGORITHMS],
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `clockTolerance`
      jsonWebTokenOptions: { clockTolerance: CLOCK_SKEW_SECONDS },
      passReqToCallback: true,
    });
  }

  /** Called by passport-jwt after it has verified the signature of the claims that were read. */
  validate({ accessToken, signal }: PresentedToken): Promise<AssistantPrincipal> {
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
 * Finds the key that verifies a token.
 *
 * @throws {AppError} `unauthenticated` for a token whose key the issuer does not have.
 * @throws the reason of the sign-in's signal when the signal is aborted.
 */
async function findVerificationKey(
  issuer: TokenIssuer,
  { keyId, algorithm, signal }: PresentedToken,
): Promise<unknown> {
  const key = await issuer.findKey(keyId, algorithm);
  // The response may already have been sent during the key look-up.
  signal.throwIfAborted();
  if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
  return key;
}
