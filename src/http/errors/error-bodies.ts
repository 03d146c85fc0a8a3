import { Injectable } from '@nestjs/common';
import type { ErrorToSend } from './error-response.js';

/**
 * Returns the body of an error response, or undefined for the contract's envelope.
 *
 * @param request the request of the framework.
 */
export type ErrorBody = (
  error: ErrorToSend,
  request: { readonly body?: unknown },
) => object | undefined;

/**
 * The routes whose errors have a body in the form of their own protocol, such as JSON-RPC. The
 * module of the protocol registers its route.
 */
@Injectable()
export class ErrorBodies {
  readonly #bodies = new Map<string, ErrorBody>();

  /** @param route the pattern of the route. */
  register(route: string, body: ErrorBody): void {
    this.#bodies.set(route, body);
  }

  /** Returns the body of a route's error; undefined for the contract's envelope. */
  bodyOf(
    route: string | undefined,
    error: ErrorToSend,
    request: { readonly body?: unknown },
  ): object | undefined {
    return this.#bodies.get(route ?? '')?.(error, request);
  }
}
