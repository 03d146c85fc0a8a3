import { applyDecorators, UseInterceptors, type Type } from '@nestjs/common';
import type { HandlerDecorator } from '../http/handler-declaration.js';
import { declareRedacted } from '../http/response-content.js';
import { RedactionInterceptor } from './redaction.interceptor.js';
import { ResponseClass } from './response-class.decorator.js';

/**
 * Redacts the result of a handler: only the fields that the class declares are sent, each with its
 * visibility for the caller. `@Endpoint` includes this decorator. Any other handler needs a guard
 * that signs the caller in: `@RequireScope` binds one.
 *
 * Interceptors below this decorator get the redacted result; those above it change the result
 * before redaction.
 */
export function Redacted<Response extends object>(
  response: Type<Response>,
): HandlerDecorator<Response> {
  return applyDecorators(
    ResponseClass(response),
    declareRedacted(),
    UseInterceptors(RedactionInterceptor),
  );
}
