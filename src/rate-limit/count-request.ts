import type { ThrottlerStorage } from '@nestjs/throttler';
import { UsageError } from '../kernel/usage-error.js';
import type { ThrottlerRecord } from './rate-limit-storage.js';

/** A request of a caller in a rate class. */
export interface CountedRequest {
  readonly rateClass: string;
  /** The key of the caller's counter in the class. */
  readonly key: string;
  /** Requests in one window. */
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counts a request, unless it exceeds the limit (contract, section 8). All requests are counted
 * here, whether they come through a route or through `DealSetsApi`.
 *
 * @throws {UsageError} for a limit or a window below 1. With such a window, nothing would be
 *   limited. The throttler itself rejects what is not a number.
 */
export async function countRequest(
  counters: ThrottlerStorage,
  { rateClass, key, limit, windowMs }: CountedRequest,
): Promise<ThrottlerRecord> {
  if (limit < 1 || windowMs < 1) {
    throw new UsageError(`throttlers: ${rateClass}: expected a limit and a ttl of at least 1`);
  }
  // Each window has its own count: a shorter window, as @Throttle may declare one for a route,
  // would remove hits that a longer one still counts.
  const keyOfWindow = `${key} ${windowMs}`;
  // With a block duration, the library would also count rejected requests.
  const blockDuration = 0;
  return counters.increment(keyOfWindow, windowMs, limit, blockDuration, rateClass);
}
