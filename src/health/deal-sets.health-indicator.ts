import { Inject, Injectable } from '@nestjs/common';
import { HealthIndicatorService, type HealthIndicatorResult } from '@nestjs/terminus';
import { DatabaseHealth } from '../database/database-health.js';

/**
 * Reports to `@nestjs/terminus` whether the module can serve requests: whether its database is
 * reachable and migrated, and has the required roles and grants. Provide the class in a module that
 * imports `TerminusModule`.
 *
 *     health.check([() => dealSets.isHealthy('deal-sets')])
 */
@Injectable()
export class DealSetsHealthIndicator {
  // The dependencies are injected as properties, because the constructor of a public class is part
  // of the package's API.
  @Inject() private readonly database!: DatabaseHealth;
  @Inject() private readonly indicators!: HealthIndicatorService;

  /**
   * Checks the database, at most once a second.
   *
   * @param key the name of the indicator in the result.
   * @returns down with a `reason`: `database_unreachable`, `migrations_pending` or `roles_missing`.
   *   Up with `pending: 'rebuild'` if `deal-sets rebuild` still has to run.
   */
  async isHealthy<const Key extends string>(key: Key): Promise<HealthIndicatorResult<Key>> {
    const { reason, needsRebuild } = await this.database.check();
    const indicator = this.indicators.check(key);
    if (reason !== undefined) return indicator.down({ reason });
    return needsRebuild ? indicator.up({ pending: 'rebuild' }) : indicator.up();
  }
}
