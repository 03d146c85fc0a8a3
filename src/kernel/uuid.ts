const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A UUID in its one spelling, lower case; undefined for anything that is not a hyphenated UUID. One buyer
 * must not have two rate limits, nor two names in the rollout, by another spelling of the id.
 */
export function parseUuid(text: unknown): string | undefined {
  return typeof text === 'string' && UUID.test(text) ? text.toLowerCase() : undefined;
}
