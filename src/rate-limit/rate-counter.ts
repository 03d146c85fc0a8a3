import { Inject, Injectable } from '@nestjs/common';
import { ThrottlerStorage } from '@nestjs/throttler';
import { AppError } from '../kernel/app-error.js';
import type { Principal } from '../kernel/principal.js';
import { RateClasses } from './rate-classes.js';
import { callerOf, keyOf } from './rate-limit.guard.js';

/** Counts a call that is no HTTP request of its own, in the same counts as the guard. */
@Injectable()
export class RateCounter {
  constructor(
    private readonly classes: RateClasses,
    @Inject(ThrottlerStorage) private readonly storage: ThrottlerStorage,
  ) {}

  /** @throws {AppError} `rate_limited`. */
  async count(rateClass: string, principal: Principal): Promise<void> {
    const { limit, windowSeconds } = this.classes.find(rateClass) ?? {};
    if (typeof limit !== 'number' || windowSeconds === undefined) {
      throw new Error(`rate class ${rateClass} has no limit that holds without a request`);
    }
    const { isBlocked, timeToBlockExpire } = await this.storage.increment(
      keyOf(rateClass, callerOf(principal)),
      windowSeconds * 1000,
      limit,
      0,
      'default',
    );
    if (isBlocked) throw new AppError('rate_limited', { retryAfterSeconds: timeToBlockExpire });
  }
}
