import { Injectable, type ExecutionContext } from '@nestjs/common';
import { contextOf } from '../http/request-context.js';
import { recordError } from '../http/record-error.js';
import { AppError } from '../kernel/app-error.js';
import { CredentialGuard } from './credential.guard.js';
import { ScopeGuard } from './scope.guard.js';

/**
 * Signs the caller in and checks the scope that `@RequireScope` declares, for a handler without
 * `@Endpoint`. Afterwards `@CurrentPrincipal()` returns the caller. A rejection throws an `AppError`,
 * an exception of Nest with the status and the envelope of the contract. `ContractFilter` adds
 * `Retry-After`.
 *
 *     @Get('notes')
 *     @RequireScope('notes:read')
 *     @UseGuards(BuyerAuthGuard)
 *     @UseFilters(ContractFilter)
 *     listNotes(@CurrentPrincipal() { buyerId }: Principal) { … }
 */
@Injectable()
export class BuyerAuthGuard extends CredentialGuard {
  readonly #scope = new ScopeGuard();

  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    try {
      await super.canActivate(execution);
      return this.#scope.canActivate(execution);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      recordError(contextOf(execution), error);
      throw error;
    }
  }
}
