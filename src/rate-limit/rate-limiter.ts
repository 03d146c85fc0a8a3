import { Injectable } from '@nestjs/common';
import { InjectThrottlerStorage, type ThrottlerStorage } from '@nestjs/throttler';
import type { Principal } from '../kernel/principal.js';
import { countHit } from './count-hit.js';
import { RateClasses } from './rate-classes.js';

/** The rate limit for callers that come by no route of the service, in the same counters as the guard. */
@Injectable()
export class RateLimiter {
  constructor(
    private readonly classes: RateClasses,
    @InjectThrottlerStorage() private readonly storage: ThrottlerStorage,
  ) {}

  /** @throws {AppError} `rate_limited`. */
  async count(rateClass: string, principal: Principal): Promise<void> {
    const { limit, windowMs } = this.classes.fixed(rateClass);
    await countHit(this.storage, { rateClass, principal, limit, windowMs });
  }
}
