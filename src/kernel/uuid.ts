/** Matches a hyphenated UUID in any case. */
export const UUID_PATTERN = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Returns a hyphenated UUID in lower case; undefined for anything else. Without a single spelling,
 * one buyer could have several rate limits and several entries in the rollout.
 */
export function parseUuid(text: unknown): string | undefined {
  return typeof text === 'string' && UUID_PATTERN.test(text) ? text.toLowerCase() : undefined;
}
