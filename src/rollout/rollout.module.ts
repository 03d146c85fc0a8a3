import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { seamProvider, type Seam } from '../kernel/seam.js';
import { DeclaredFlags } from './declared-flags.js';
import { EnvironmentRollout } from './environment-rollout.js';
import { RolloutGuard } from './rollout.guard.js';
import { Rollout } from './rollout.js';

/** Which callers an endpoint is turned on for. */
@Module({})
export class RolloutModule {
  /** @param imports modules whose providers the team's part asks for. */
  static register(rollout?: Seam<Rollout>, imports: ModuleMetadata['imports'] = []): DynamicModule {
    return {
      module: RolloutModule,
      imports,
      providers: [seamProvider(Rollout, rollout, EnvironmentRollout), RolloutGuard, DeclaredFlags],
      exports: [RolloutGuard],
    };
  }
}
