import type { ThrottlerStorage } from '@nestjs/throttler';
import { AppError } from '../kernel/app-error.js';
import { matchPrincipal, type Principal } from '../kernel/principal.js';

export interface Hit {
  readonly rateClass: string;
  readonly principal: Principal;
  readonly limit: number;
  readonly windowMs: number;
}

/**
 * Counts one call of a principal in a rate class.
 *
 * @throws {AppError} `rate_limited` with the seconds to wait.
 */
export async function countHit(
  storage: ThrottlerStorage,
  { rateClass, principal, limit, windowMs }: Hit,
): Promise<void> {
  const key = `${rateClass} ${callerOf(principal)}`;
  // No block beyond the window itself; the library's name of its one throttler.
  const record = await storage.increment(key, windowMs, limit, 0, 'default');
  if (record.isBlocked) {
    throw new AppError('rate_limited', { retryAfterSeconds: record.timeToBlockExpire });
  }
}

/** Ids alone, never anything that the caller can vary from request to request to escape the limit. */
function callerOf(principal: Principal): string {
  return matchPrincipal(principal, {
    session: ({ buyerId }) => `session ${buyerId}`,
    assistant: ({ buyerId, clientId }) => `assistant ${buyerId} ${clientId}`,
  });
}
