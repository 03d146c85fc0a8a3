import type { Principal } from '../kernel/principal.js';

/** A completed request. */
export interface ObservedRequest {
  /** Sent as `Service-Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** The pattern of the route; undefined when none matched. */
  readonly route: string | undefined;
  /** Parameters of the path, as the caller wrote them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** Parsed query; a repeated name is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Undefined when the client left before the response was sent. */
  readonly status: number | undefined;
  /** Error code of the response. */
  readonly code: string | undefined;
  /** The caller; undefined when the request was rejected before sign-in ended. */
  readonly principal: Principal | undefined;
  readonly durationMs: number;
}

/**
 * Observes each request when it has ended, for audit trails and reports: successes, rejections and
 * aborts alike.
 *
 * Guarantees of the service: `observe` is called once for each request to its endpoints, and in the
 * standalone application for every request, after the response was sent or the client has left.
 * Must never: block, because it runs in the service's process, or change its argument.
 * When it fails: the failure is logged, and no response changes.
 *
 * Example:
 *
 *     class AuditTrail extends RequestObserver {
 *       observe({ id, route, status, principal }: ObservedRequest): void {
 *         if (principal) queue.push({ id, route, status, buyer: principal.buyerId });
 *       }
 *     }
 */
export abstract class RequestObserver {
  abstract observe(request: ObservedRequest): void | Promise<void>;
}
