const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/**
 * A UUID in lower case; undefined for anything that is not a hyphenated UUID. By another spelling one buyer would have
 * two rate limits, and two names in the rollout.
 */
export function parseUuid(text: unknown): string | undefined {
  return typeof text === 'string' && UUID_PATTERN.test(text) ? text.toLowerCase() : undefined;
}
