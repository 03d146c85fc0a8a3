import { applyDecorators, UseInterceptors, type Type } from '@nestjs/common';
import type { HandlerDecorator } from '../http/handler-decorator.js';
import { declarePolicy } from '../http/policy.js';
import { assertResultIsSent } from './net/sent-result.js';
import { RedactionInterceptor } from './redaction.interceptor.js';

/**
 * Redacts the result of a handler: only the fields that the class declares are sent, each with its
 * visibility for the caller. `@Endpoint` includes this decorator. Any other handler needs
 * `@RequireScope`, because the caller decides what is sent.
 *
 * Interceptors below this decorator get the redacted result; those above it change the result
 * before redaction.
 *
 * @throws {Error} for a handler that takes `@Res()` without `passthrough`.
 */
export function Redacted<Response extends object>(
  response: Type<Response>,
): HandlerDecorator<Response> {
  return applyDecorators(
    assertResultIsSent,
    declarePolicy({ response }),
    UseInterceptors(RedactionInterceptor),
  );
}
