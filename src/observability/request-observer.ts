import type { Principal } from '../kernel/principal.js';
import type { McpCallFacts } from './mcp-call.js';

/** A request that has ended. */
export interface ObservedRequest {
  /** Sent as `Service-Request-Id`. */
  readonly id: string;
  readonly method: string;
  /** The pattern of the route; undefined when none matched. */
  readonly route: string | undefined;
  /** Parameters of the path, as the caller wrote them. */
  readonly parameters: Readonly<Record<string, string>>;
  /** The parsed query string. The value of a name that occurs more than once is a list. */
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  /** Undefined when the client left before the response was sent. */
  readonly status: number | undefined;
  /** Error code of the response. */
  readonly code: string | undefined;
  /** The caller; undefined when no caller was authenticated. */
  readonly principal: Principal | undefined;
  readonly durationMs: number;
  /** What an assistant asked of `/mcp`; undefined for other endpoints and rejected messages. */
  readonly mcpCall: McpCallFacts | undefined;
}

/**
 * Observes each request when it has ended, for audit trails and reports: successes, rejections and
 * aborts alike.
 *
 * Guarantees of the service: `observe` is called once for each request to the service's endpoints,
 * after the response was sent or the client has left. In the standalone application, it is called
 * for every request.
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
