import { Module, type DynamicModule } from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { EnvironmentRollout } from './environment-rollout.js';
import { RolloutGuard } from './rollout.guard.js';
import { Rollout } from './rollout.js';

/** Which callers an endpoint is turned on for. */
@Module({})
export class RolloutModule {
  static register(rollout?: Seam<Rollout>): DynamicModule {
    return {
      module: RolloutModule,
      providers: [seamProvider(Rollout, rollout, EnvironmentRollout), RolloutGuard],
      exports: [RolloutGuard],
    };
  }
}
