import { randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { contextOfRequest, rawRequest } from '../http/request-context.js';
import { AppError } from '../kernel/app-error.js';
import type { AssistantPrincipal } from '../kernel/principal.js';
import {
  CLOCK_SKEW_SECONDS,
  decodeAccessToken,
  readAccessToken,
  type JsonObject,
} from './access-token.js';
import { SIGNING_ALGORITHMS } from './token-issuer.js';
import { ApprovedAssistants } from './approved-assistants.js';
import { bearerToken } from './bearer-header.js';
import { TokenIssuer } from './token-issuer.js';

/** The verified token that passport-jwt passes to the callback when `complete` is set. */
interface VerifiedToken {
  /** The JOSE header. */
  readonly header: JsonObject;
  /** The claims. */
  readonly payload: JsonObject;
}

/**
 * The `passport-jwt` strategy of one application. Its name is unique because passport's registry is
 * shared by the whole process.
 *
 * passport-jwt looks up the key before it checks anything, so the key provider first rejects every
 * token that needs no key to be rejected. passport-jwt also accepts ID tokens, unknown critical
 * headers and tokens without `exp` or `sub`, so the same rules check the header and claims again
 * after the signature is verified.
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
    if (!key) throw new AppError('unauthenticated', { rejectionReason: 'unknown_key' });
    return key;
  }

  async #principalOf(request: object, token: VerifiedToken): Promise<AssistantPrincipal> {
    const { header, payload } = token;
    const { accessToken } = readAccessToken(header, payload, this.issuer, Date.now() / 1000);
    const { protectedResource, signal } = contextOfRequest(request);
    const { audiences } = protectedResource ?? {};
    if (audiences && !accessToken.audiences.some((name) => audiences.includes(name))) {
      throw new AppError('unauthenticated', { rejectionReason: 'audience' });
    }
    return this.assistants.findPrincipal(accessToken, signal);
  }
}
