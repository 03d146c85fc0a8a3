import type { Principal } from '../kernel/principal.js';

/**
 * Decides whether an endpoint is turned on for a caller. The default is `SettingsRollout`.
 *
 * Guarantees: `isOn` returns the same value for the same flag and principal, whatever else the
 * request contains.
 * When it fails or is late: the endpoint is off for that call (404 `not_found`).
 */
export abstract class Rollout {
  /**
   * Returns whether a flag is on for a principal.
   *
   * @param flag as endpoints declare it: `[a-z][a-z0-9_]*`.
   * @param signal aborted when the call is abandoned, after half a second.
   */
  abstract isOn(
    flag: string,
    principal: Principal,
    signal: AbortSignal,
  ): Promise<boolean> | boolean;
}
