import type { Principal } from '../kernel/principal.js';
import type { McpCallFacts } from './mcp-call.js';

/**
 * The error that caused a response with status 500 or above, in the form of the log: names and
 * places. It never contains the message of an error that other code threw, which may contain
 * values.
 */
export interface ObservedError {
  /** The class of the error, or the type of a thrown value that is not an error. */
  readonly name: string;
  /** SQLSTATE, system code (`ECONNREFUSED`) or library code. */
  readonly code: string | undefined;
  /** The mistake in the code of the application, if the service recognized it. */
  readonly problem: string | undefined;
  /** The first stack frames, innermost first. */
  readonly at: readonly string[];
  /** Class and code of the causes, outermost first. */
  readonly causes: readonly string[];
}

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
  /**
   * Error code of the response; undefined if the host application has sent it, as after an
   * unexpected error of a handler with `@RequireScope`.
   */
  readonly code: string | undefined;
  /**
   * The error that caused a response with status 500 or above; undefined for any other response,
   * and for an exception of your endpoint whose body has a `code` and a `message`.
   */
  readonly error: ObservedError | undefined;
  /** The caller; undefined when no caller was authenticated. */
  readonly principal: Principal | undefined;
  readonly durationMs: number;
  /** The assistant's call of `/mcp`; undefined for other endpoints and rejected messages. */
  readonly mcpCall: McpCallFacts | undefined;
}

/**
 * Observes each request when it has ended, for audit trails, reports and error trackers: successes,
 * rejections and aborts alike.
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
