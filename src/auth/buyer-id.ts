const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A buyer's id in its one spelling, lower case, or undefined for anything that is not a UUID. One buyer
 * must not have two rate limits, nor two names in the rollout, by writing her id differently.
 */
export function buyerIdOf(text: unknown): string | undefined {
  return typeof text === 'string' && UUID.test(text) ? text.toLowerCase() : undefined;
}
