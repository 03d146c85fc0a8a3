import type { Deadline } from '../kernel/deadline.js';
import type { Principal } from '../kernel/principal.js';

/**
 * Decides whether an endpoint is turned on for a caller.
 *
 * Guarantees: one value for one flag and one principal; no other part of the request matters.
 * When it fails or is late: the endpoint is off for that call (404 `not_found`).
 */
export abstract class Rollout {
  /**
   * @param flag as endpoints declare it: `[a-z][a-z0-9_]*`.
   * @param limit the call's own limit of half a second; its `signal` is aborted when the call is given up.
   */
  abstract isOn(flag: string, principal: Principal, limit: Deadline): Promise<boolean> | boolean;
}
