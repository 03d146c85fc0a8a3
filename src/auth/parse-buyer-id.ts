import { parseUuid } from '../kernel/uuid.js';

/**
 * A buyer's id in its one spelling, lower case, or undefined for anything that is not a UUID. One buyer
 * must not have two rate limits, nor two names in the rollout, by writing her id differently.
 */
export const parseBuyerId: (text: unknown) => string | undefined = parseUuid;
