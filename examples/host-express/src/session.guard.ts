import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { principalOf } from '@deal-sets/service';

/**
 * Admits only the buyer's own session, after `BuyerAuthGuard` has signed the caller in. Other
 * callers get 403, like those that the option `principals` of `@Endpoint` excludes.
 */
@Injectable()
export class SessionGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    return principalOf(context).type === 'session';
  }
}
