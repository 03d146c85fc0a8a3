import {
  Injectable,
  type CallHandler,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Observable } from 'rxjs';
import { declarationOf } from './handler-declaration.js';
import { rawResponse } from './request-context.js';

/** The times at which an endpoint is deprecated and ceases to exist. */
export interface Deprecation {
  /**
   * The time from which new clients should not use the endpoint (RFC 9745). It may be in the
   * future, but not after `sunset`.
   */
  readonly deprecated?: Date;
  /** The time at which the endpoint ceases to exist (RFC 8594). */
  readonly sunset?: Date;
}

/** Declares the deprecation of a handler's endpoint. */
export const Deprecated = Reflector.createDecorator<Deprecation>();

/**
 * Returns the headers that announce a deprecation, for example `Deprecation: @1767225600` (RFC 9745)
 * and `Sunset: Tue, 30 Jun 2026 00:00:00 GMT` (RFC 8594).
 */
export function deprecationHeaders({ deprecated, sunset }: Deprecation): Record<string, string> {
  return {
    ...(deprecated && { Deprecation: `@${Math.floor(deprecated.getTime() / 1000)}` }),
    ...(sunset && { Sunset: sunset.toUTCString() }),
  };
}

/**
 * Announces the deprecation that a handler declares with `@Deprecated`, on each response to a call
 * that passed the checks. A rejected call does not get the headers, because the endpoint may be off
 * for the caller.
 */
@Injectable()
export class DeprecationInterceptor implements NestInterceptor {
  intercept(execution: ExecutionContext, next: CallHandler): Observable<unknown> {
    const headers = deprecationHeaders(declarationOf(Deprecated, execution) ?? {});
    const response = rawResponse(execution);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    return next.handle();
  }
}
