import type { CanActivate, ExecutionContext } from '@nestjs/common';

/**
 * Authenticates an assistant by the Authorization header. The default is `JwtBearerGuard`, which
 * accepts JWT access tokens of the configured issuer.
 *
 * Guarantees: it returns true only after it has set `request.principal` to an `AssistantPrincipal`
 * built from verified data; `ApprovedAssistants` builds one from a buyer, an assistant and scopes.
 * Must never: admit a credential that it could not verify, or log a credential.
 * When it fails: `UnauthorizedException`, `AppError` with `unauthenticated` and a return value of
 * false become 401. Any other error, and a call of more than one second, becomes 503
 * `auth_unverifiable`. The signal `requestSignal(context)` is aborted when the call has to end.
 */
export abstract class AssistantAuthenticator implements CanActivate {
  abstract canActivate(context: ExecutionContext): Promise<boolean>;
}
