import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { ExternalError } from '../kernel/external-error.js';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics } from '../observability/metrics.js';
import { RateLimitStorage } from './rate-limit-storage.js';
import { NOT_REDIS } from './redis-errors.js';
import { RedisStorage } from './redis-storage.js';

/**
 * Makes Redis reply once at the start, so that a wrong address, password or certificate is in the
 * log before the first request. The application starts in any case.
 */
@Injectable()
export class RedisStartCheck implements OnApplicationBootstrap {
  constructor(
    private readonly storage: RateLimitStorage,
    private readonly logger: ServiceLogger,
    private readonly metrics: Metrics,
    private readonly limits: TimeLimits,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { storage } = this;
    if (!(storage instanceof RedisStorage)) return;
    try {
      const { isClusterNode } = await withTimeLimit(this.limits.redisStartReplyMs, undefined, () =>
        storage.check(),
      );
      this.metrics.sharedCountersUp.set(1);
      if (isClusterNode) this.logger.warn({ msg: CLUSTER, reason: 'cluster_enabled' });
    } catch (error) {
      const isOtherServer = error instanceof ExternalError && error.word === NOT_REDIS;
      const msg = isOtherServer ? OTHER_SERVER : NO_REPLY;
      this.logger.warn({ msg, ...errorFields(error) });
    }
  }
}

const CLUSTER =
  'Redis is a node of a cluster, where the rate limit is not kept: use a server without cluster mode';
const OTHER_SERVER =
  'the server at the address of Redis is not Redis, using in-memory counters: check REDIS_URL, or the address of your own client';
const NO_REPLY =
  'Redis does not respond, using in-memory counters: check REDIS_URL, or the address of your own client';
