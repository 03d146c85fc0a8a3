import type { DealSetsError } from './deal-sets-error.js';

/** The longest delay of a timer; a longer one would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;
const SHORTEST_MS = 500;
const LONGEST_MS = 8000;

/**
 * Returns whether the same request may succeed later: it was rate limited, the service or a gateway
 * in front of it was unavailable, or no complete response arrived. Every request of this client is
 * a GET, so repeating one is safe.
 */
export function isTransient({ code, status }: DealSetsError): boolean {
  return code === 'network_error' || [429, 502, 503, 504].includes(status);
}

/**
 * Returns a random wait in milliseconds: from 500 up to a limit that doubles with every retry,
 * 1,000 at first and 8,000 at most.
 */
export function backOffMs(retries: number): number {
  const ceiling = Math.min(LONGEST_MS, 2 * SHORTEST_MS * 2 ** retries);
  return SHORTEST_MS + Math.random() * (ceiling - SHORTEST_MS);
}

/**
 * Parses `Retry-After`: whole seconds, or the HTTP date that a gateway may send. Returns
 * milliseconds, or undefined for a missing or invalid value.
 */
export function parseRetryAfter(value: string | null): number | undefined {
  if (value === null) return undefined;
  const milliseconds = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, milliseconds);
}

/**
 * Settles like the promise, or rejects with the signal's reason as soon as the signal aborts.
 */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Resolves after the given time; rejects with the signal's reason as soon as the signal aborts. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER_MS));
  });
  try {
    await abortable(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
