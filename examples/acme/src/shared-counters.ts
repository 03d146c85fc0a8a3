import type { Provider } from '@nestjs/common';
import { RateLimitStorage, RedisStorage } from '@deal-sets/service';
import { AcmeCounters } from './counters.js';

/**
 * Replaces the rate-limit counters. If Acme has a Redis server for them, all instances of the
 * application share its counters. Otherwise, each instance counts separately.
 *
 * @param redisUrl the address of Acme's Redis server for counters.
 */
export function sharedCounters(redisUrl: string | undefined): Provider {
  return {
    provide: RateLimitStorage,
    useFactory: () => (redisUrl === undefined ? new AcmeCounters() : new RedisStorage(redisUrl)),
  };
}
