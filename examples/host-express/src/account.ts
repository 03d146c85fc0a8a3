import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard, PassportStrategy } from '@nestjs/passport';
import { isDealSetsEndpoint } from '@deal-sets/service';
import { ExtractJwt, Strategy } from 'passport-jwt';

/** A signed-in account of the shop. It is not a buyer of the deal sets. */
export interface Account {
  readonly id: string;
}

/** Signs accounts in to the shop's own routes by a JWT that the shop signed. */
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

/** Exempts a controller from the sign-in with an account. */
export const WithoutAccount = Reflector.createDecorator<void, true>({ transform: () => true });

/**
 * Requires an account on every route except the controllers with `@WithoutAccount` and the
 * endpoints of the deal sets, which have their own sign-in.
 */
@Injectable()
export class AccountGuard extends AuthGuard('jwt') {
  @Inject() private readonly reflector!: Reflector;

  override canActivate(context: ExecutionContext) {
    if (isDealSetsEndpoint(context)) return true;
    return (
      this.reflector.get(WithoutAccount, context.getClass()) === true || super.canActivate(context)
    );
  }
}
