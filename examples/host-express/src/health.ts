import { Controller, Get, Module } from '@nestjs/common';
import { CacheKey } from '@nestjs/cache-manager';
import {
  HealthCheck,
  HealthCheckService,
  TerminusModule,
  TypeOrmHealthIndicator,
  type HealthCheckResult,
} from '@nestjs/terminus';
import { SkipThrottle } from '@nestjs/throttler';
import { DealSetsHealthIndicator } from '@deal-sets/service/terminus';
import { WithoutAccount } from './account.js';

/**
 * Reports whether the shop's own connection and the deal sets work. A load balancer calls it often
 * and without an account, and must get the current state, not a cached one.
 */
@Controller('health')
@WithoutAccount()
@SkipThrottle({ short: true, long: true })
class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    private readonly connection: TypeOrmHealthIndicator,
    private readonly dealSets: DealSetsHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  // Without a key, the global `CacheInterceptor` does not cache the response.
  @CacheKey(() => undefined)
  check(): Promise<HealthCheckResult> {
    return this.health.check([
      () => this.connection.pingCheck('shop'),
      () => this.dealSets.isHealthy('deal-sets'),
    ]);
  }
}

/** The module of the health check. */
@Module({
  imports: [TerminusModule],
  controllers: [HealthController],
  providers: [DealSetsHealthIndicator],
})
export class HealthModule {}
