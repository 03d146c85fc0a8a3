import type { Deadline } from '../kernel/deadline.js';
import type { Endpoint } from '../kernel/endpoint.js';
import type { Principal } from '../kernel/principal.js';

/**
 * Tells whether an endpoint is turned on for a caller.
 *
 * Guarantees: one answer for one endpoint and one principal; nothing else of the request decides.
 * When it fails or is late: the endpoint is off for that call (404 `not_found`).
 */
export abstract class Rollout {
  abstract isOn(
    endpoint: Endpoint,
    principal: Principal,
    deadline: Deadline,
  ): Promise<boolean> | boolean;
}
