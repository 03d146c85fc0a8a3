import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
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
 * first, by the rules of `decodeAccessToken`, and rejects every token that needs no key to be
 * rejected. `validate` uses the decoded claims: the signature covers exactly those characters.
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
      audience: [...issuer.audiences],
      algorithms: [...SIGNING_ALGORITHMS],
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only way to `clockTolerance`
      jsonWebTokenOptions: { clockTolerance: CLOCK_SKEW_SECONDS },
      passReqToCallback: true,
    });
  }

  /** Called by passport-jwt after it has verified the signature. */
  async validate({ accessToken, audiences, signal }: BearerSignIn): Promise<AssistantPrincipal> {
    if (!accessToken) throw new Error('passport-jwt verified a token without asking for its key');
    if (audiences && !accessToken.audiences.some((name) => audiences.includes(name))) {
      throw new AppError('unauthenticated', { rejectionReason: 'audience' });
    }
    return this.assistants.findPrincipal(accessToken, signal);
  }

  /**
   * Registers the strategy under a name of this application, because passport's registry is shared
   * by the whole process, which may run several applications. Called by the constructor of
   * `PassportStrategy`.
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
 * @throws {AppError} `unauthenticated` for a token that can be rejected without a key, or that
 *   names an unknown key.
 * @throws the reason of the sign-in's signal when that is aborted.
 */
async function findVerificationKey(
  issuer: TokenIssuer,
  signIn: BearerSignIn,
  token: string,
): Promise<unknown> {
  const { keyId, algorithm, accessToken } = decodeAccessToken(token, issuer, Date.now() / 1000);
  signIn.accessToken = accessToken;
  const key = await issuer.findKey(keyId, algorithm);
  // The request may have got its response while the key was looked up.
  signIn.signal.throwIfAborted();
  if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
  return key;
}
