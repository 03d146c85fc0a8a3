import { Injectable, type ExecutionContext } from '@nestjs/common';
import { CredentialGuard } from './credential.guard.js';
import { ScopeGuard } from './scope.guard.js';

/**
 * Signs the caller in and checks the scope that `@RequireScope` declares, for a handler without
 * `@Endpoint`. Afterwards `@CurrentPrincipal()` returns the caller. A rejection throws an
 * `AppError`, which `ContractFilter` turns into the error response.
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
    await super.canActivate(execution);
    return this.#scope.canActivate(execution);
  }
}
