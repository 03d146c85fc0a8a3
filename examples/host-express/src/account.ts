import { Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { isDealSetsEndpoint } from '@deal-sets/service';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** A signed-in account of the shop. It is not a buyer of the deal sets. */
export interface Account {
  readonly id: string;
}

/** The sign-in of the shop's own routes: a JWT that the shop signed. */
@Injectable()
export class AccountStrategy extends PassportStrategy(Strategy) {
  constructor(tokenSecret: string) {
    super({
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      secretOrKey: tokenSecret,
    });
  }

  validate({ sub }: { readonly sub: string }): Account {
    return { id: sub };
  }
}

/** Signs in every route of the application, except for endpoints that sign in themselves. */
@Injectable()
export class AccountGuard extends AuthGuard('jwt') {
  override canActivate(context: ExecutionContext) {
    return isDealSetsEndpoint(context) || super.canActivate(context);
  }
}
