import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { distinctHeaders, rawHeadersOf } from '../http/context/distinct-headers.js';
import { RequestContextService } from '../http/context/request-context.service.js';
import { AppError } from '../kernel/app-error.js';
import { Admission } from './admission.js';
import { SignIn } from './sign-in.js';

/**
 * The number of header lines at which a request is rejected. Older versions of Node drop the lines
 * that follow without an error, and with them an Authorization header or a second session cookie.
 * Newer ones reject the request with 431.
 */
const MAX_HEADER_LINES = 1000;

/**
 * The first guard of `@Endpoint` and the guard of `@RequireScope`: signs the caller in by the
 * session cookie or by the bearer token, then checks that the caller may call the handler
 * (`Admission`). The filter sends the challenge of what it rejects (contract, section 5).
 */
@Injectable()
export class AdmissionGuard implements CanActivate {
  constructor(
    private readonly requests: RequestContextService,
    private readonly signIn: SignIn,
    private readonly admission: Admission,
  ) {}

  async canActivate(execution: ExecutionContext): Promise<boolean> {
    const context = this.requests.ofHandler(execution);
    // A guard of the controller has admitted the caller by the declarations of both.
    if (context.principal) return true;
    const { deadline, policy, protectedResource: resource } = context;
    const rawHeaders = rawHeadersOf(context.response.req);
    if (rawHeaders.length >= 2 * MAX_HEADER_LINES) {
      throw new AppError('unauthenticated', { rejectionReason: 'malformed' });
    }
    const headers = distinctHeaders(rawHeaders);
    const { signal } = deadline;
    const principal = await this.signIn.authenticate({ headers, signal, resource });
    context.setPrincipal(principal);
    await this.admission.admit(policy, principal, deadline);
    return true;
  }
}
