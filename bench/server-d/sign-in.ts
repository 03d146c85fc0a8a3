import { createHash } from 'node:crypto';
import {
  ForbiddenException,
  Injectable,
  UnauthorizedException,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { InjectRepository } from '@nestjs/typeorm';
import { ExtractJwt, Strategy } from 'passport-jwt';
import { IsNull, Repository } from 'typeorm';
import { AssistantGrant, BuyerSession } from '../../src/database/entities.js';

/** The signed-in caller. */
export interface User {
  readonly buyerId: string;
  readonly type: 'session' | 'assistant' | 'hosted';
  readonly scopes: readonly string[];
}

/** Signs assistants in with passport-jwt, as its documentation shows. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    @InjectRepository(AssistantGrant) private readonly grants: Repository<AssistantGrant>,
  ) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: process.env['BENCH_PUBLIC_KEY'] ?? '',
      algorithms: ['ES256'],
      issuer: process.env['AUTH_ISSUER'] ?? '',
      audience: process.env['AUTH_AUDIENCE'] ?? '',
    });
  }

  async validate(claims: {
    sub: string;
    client_id: string;
    scope: string;
    iat: number;
  }): Promise<User> {
    const grant = await this.grants.findOneBy({
      buyerId: claims.sub,
      clientId: claims.client_id,
      revokedAt: IsNull(),
    });
    if (!grant || (grant.expiresAt && grant.expiresAt <= new Date())) {
      throw new UnauthorizedException();
    }
    if (claims.iat * 1000 < grant.grantedAt.getTime() - 30_000) throw new UnauthorizedException();
    return {
      buyerId: grant.buyerId,
      type: grant.isHosted ? 'hosted' : 'assistant',
      scopes: claims.scope.split(' ').filter((scope) => grant.scopes.includes(scope)),
    };
  }
}

/** Signs in an assistant by its token, or a buyer by the session cookie. */
@Injectable()
export class SignInGuard extends AuthGuard('jwt') implements CanActivate {
  constructor(@InjectRepository(BuyerSession) private readonly sessions: Repository<BuyerSession>) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined>; user: User }>();
    if (request.headers['authorization'] !== undefined) {
      await super.canActivate(context);
    } else {
      request.user = await this.#sessionUser(request.headers['cookie'] ?? '');
    }
    if (!request.user.scopes.includes('offers:read')) throw new ForbiddenException();
    return true;
  }

  async #sessionUser(cookies: string): Promise<User> {
    const value = /(?:^|; )__Host-session=([^;]+)/.exec(cookies)?.[1];
    const session =
      value &&
      (await this.sessions.findOneBy({
        tokenSha256: createHash('sha256').update(value).digest(),
        revokedAt: IsNull(),
      }));
    if (!session || session.expiresAt <= new Date()) throw new UnauthorizedException();
    return { buyerId: session.buyerId, type: 'session', scopes: ['offers:read'] };
  }
}
