/** The checks of a call in their order. The handler's input is checked after them. */
const CHECK_ORDER = ['credential', 'rollout', 'scope', 'rateLimit'] as const;

/** A check of a call, before its handler. */
export type Check = (typeof CHECK_ORDER)[number];

/**
 * Sorts the checks of a call into their order. The guards of `@Endpoint` and `@McpEndpoint`,
 * `DealSetsApi` and the command `explain` use it, so all of them reject a caller for the same
 * reason.
 *
 * Only sign-in precedes rollout, because an endpoint that is off for a caller must respond as if it
 * did not exist. The rate limit is last, so that only calls that pass the other checks are counted.
 *
 * @param checks the implementation of each check, for example a guard or a function.
 * @returns the implementations in the order of the checks.
 */
export function inCheckOrder<T>(checks: Readonly<Record<Check, T>>): T[] {
  return CHECK_ORDER.map((check) => checks[check]);
}
