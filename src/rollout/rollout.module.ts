import { Module, type DynamicModule, type ModuleMetadata } from '@nestjs/common';
import { overrideProviders, type Override } from '../kernel/provider-override.js';
import { DeclaredFlags } from './declared-flags.js';
import { EnvironmentRollout } from './environment-rollout.js';
import { RolloutCheck } from './rollout-check.js';
import { RolloutGuard } from './rollout.guard.js';
import { Rollout } from './rollout.js';

/** Which callers an endpoint is turned on for. */
@Module({})
export class RolloutModule {
  /** @param imports modules whose providers the team's part asks for. */
  static register(
    rollout?: Override<Rollout>,
    imports: ModuleMetadata['imports'] = [],
  ): DynamicModule {
    return {
      module: RolloutModule,
      imports,
      providers: [
        ...overrideProviders(Rollout, rollout, EnvironmentRollout),
        RolloutCheck,
        RolloutGuard,
        DeclaredFlags,
      ],
      exports: [RolloutGuard, RolloutCheck, Rollout],
    };
  }
}
