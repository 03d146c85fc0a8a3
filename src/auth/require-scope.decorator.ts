import { applyDecorators, UseFilters, UseGuards, UseInterceptors } from '@nestjs/common';
import { HandlerErrorInterceptor } from '../http/context/handler-error.interceptor.js';
import { AppErrorFilter } from '../http/errors/envelope.filter.js';
import { declarePolicy } from '../http/policy.js';
import type { PrincipalType } from '../kernel/principal.js';
import { AdmissionGuard } from './admission.guard.js';

/** Options of `@RequireScope`. */
export interface RequireScopeOptions {
  /**
   * The types of principal that may call the handler. Default: those of the controller, otherwise
   * all.
   */
  readonly principals?: readonly PrincipalType[];
}

/**
 * Signs callers in and requires assistants to hold a scope, on a handler or on every handler of a
 * controller. On a handler, it replaces what the controller declares: the scope, and the principals
 * if it names any. Afterwards `@CurrentPrincipal()` returns the caller. It is for handlers without
 * `@Endpoint`, such as those that send a file:
 *
 *     @Get('notes.csv')
 *     @RequireScope('notes:read', { principals: ['session'] })
 *     download(@CurrentPrincipal() { buyerId }: Principal): StreamableFile { … }
 *
 * A rejected caller gets 401, 403 or 503 with the envelope, the challenge and the headers of the
 * contract. Any other exception of the handler is left to the filters of the host application; with
 * a status of 500 or above, the log and the `RequestObserver` contain it by its names.
 *
 * @param scope one scope token (RFC 6749, section 3.3).
 */
export function RequireScope(
  scope: string,
  options: RequireScopeOptions = {},
): ClassDecorator & MethodDecorator {
  return applyDecorators(
    declarePolicy({ ...options, scope }),
    UseGuards(AdmissionGuard),
    UseInterceptors(HandlerErrorInterceptor),
    UseFilters(AppErrorFilter),
  );
}
