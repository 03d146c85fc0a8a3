import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { PortProviders } from '../kernel/port-providers.js';
import { DeclaredFlags } from './declared-flags.js';
import { RolloutCheck } from './rollout-check.js';
import { Rollout } from './rollout.js';
import { SettingsRollout } from './settings-rollout.js';

/** Which callers an endpoint is turned on for. */
@Global()
@Module({})
export class RolloutModule {
  static register(ports: PortProviders): DynamicModule {
    return {
      module: RolloutModule,
      imports: ports.imports,
      providers: [
        SettingsRollout,
        { provide: Rollout, useExisting: SettingsRollout },
        ...ports.of(Rollout),
        RolloutCheck,
        DeclaredFlags,
      ],
      exports: [RolloutCheck, Rollout],
    };
  }
}
