import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import { spellingsOf } from '../kernel/resource-name.js';
import { CLOCK_SKEW_SECONDS, decodeAccessToken } from './access-token.js';
import { ApprovedAssistants } from './approved-assistants.js';
import type { BearerSignIn } from './bearer-sign-in.js';
import { SIGNING_ALGORITHMS, TokenIssuer } from './token-issuer.js';

/**
 * The `passport-jwt` strategy: verifies the signature of an access token and finds the assistant
 * that presents it.
 *
 * passport-jwt looks up the key before it checks anything. It also accepts ID tokens, unknown
 * critical headers and tokens without `exp` or `sub`. The key provider therefore decodes the token
 * first, with `decodeAccessToken`, and rejects every token that can be rejected without a key.
 * `validate` uses the decoded claims, because they come from the token text whose signature
 * passport-jwt has verified.
 */
@Injectable()
export class AccessTokenStrategy
  extends PassportStrategy(Strategy)
  implements OnApplicationShutdown
{
  constructor(
    issuer: TokenIssuer,
    private readonly assistants: ApprovedAssistants,
  ) {
    super({
      jwtFromRequest: (signIn: BearerSignIn) => signIn.token,
      secretOrKeyProvider: (signIn: BearerSignIn, token: string, done) => {
        findVerificationKey(issuer, signIn, token).then((key) => done(null, key as never), done);
      },
      issuer: issuer.issuer,
      audience: issuer.audiences.flatMap(spellingsOf),
      algorithms: [...SIGNING_ALGORITHMS],
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `clockTolerance`
      jsonWebTokenOptions: { clockTolerance: CLOCK_SKEW_SECONDS },
      passReqToCallback: true,
    });
  }

  /** Called by passport-jwt after it has verified the signature. */
  async validate({ accessToken, audiences, signal }: BearerSignIn): Promise<AssistantPrincipal> {
    if (!accessToken) throw new Error('passport-jwt verified a token without a key look-up');
    if (audiences && !accessToken.audiences.some((name) => audiences.includes(name))) {
      throw new AppError('unauthenticated', { rejectionReason: 'audience' });
    }
    return this.assistants.findPrincipal(accessToken, signal);
  }

  /**
   * Registers the strategy under a name that is unique to this application, because the whole
   * process shares passport's registry and may run several applications. The constructor of
   * `PassportStrategy` calls it.
   */
  protected getPassportInstance(): Pick<typeof passport, 'use'> {
    this.name = `deal-sets-${randomUUID()}`;
    return { use: () => passport.use(this.name, this) };
  }

  onApplicationShutdown(): void {
    passport.unuse(this.name);
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
  signIn: BearerSignIn,
  token: string,
): Promise<unknown> {
  const { keyId, algorithm, accessToken } = decodeAccessToken(token, issuer, Date.now() / 1000);
  signIn.accessToken = accessToken;
  const key = await issuer.findKey(keyId, algorithm, token);
  // The response may already have been sent during the key look-up.
  signIn.signal.throwIfAborted();
  if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
  return key;
}
