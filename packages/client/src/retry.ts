import type { DealSetsError } from './deal-sets-error.js';

const SHORTEST_MS = 500;
const LONGEST_MS = 8000;

/**
 * Whether the same request may succeed later: rate limited, unavailable (the service, or a gateway before
 * it), or no complete response. Every request of this client is a GET, so repeating one is safe.
 */
export function isTransient({ code, status }: DealSetsError): boolean {
  return code === 'network_error' || [429, 502, 503, 504].includes(status);
}

/** A random wait from 0.5 s to a ceiling that doubles with every retry, 1 s at first and 8 s at most. */
export function backOffMs(retries: number): number {
  const ceiling = Math.min(LONGEST_MS, 2 * SHORTEST_MS * 2 ** retries);
  return SHORTEST_MS + Math.random() * (ceiling - SHORTEST_MS);
}

/** `Retry-After` in milliseconds: whole seconds, or the HTTP date that a gateway may send. */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}
