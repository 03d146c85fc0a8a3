import type { CanActivate, ExecutionContext } from '@nestjs/common';

/**
 * Admits an assistant by its Authorization header. The default is `JwtBearerGuard`: JWT access tokens of the
 * configured issuer.
 *
 * Guarantees: it returns true only after it has put an `AssistantPrincipal` on `request.principal`, made from what it
 * has verified; `ApprovedAssistants` makes one from a buyer, an assistant and scopes.
 * Must never: admit a credential that it could not verify, or log it.
 * When it fails: `UnauthorizedException`, `AppError` with `unauthenticated` and false are 401; anything else it throws,
 * and taking over a second, is 503 `auth_unverifiable`. `requestSignal(context)` is the request's time.
 */
export abstract class AssistantAuthenticator implements CanActivate {
  abstract canActivate(context: ExecutionContext): Promise<boolean>;
}
