import { Global, Module, type DynamicModule } from '@nestjs/common';
import type { PortProviders } from '../kernel/port-providers.js';
import { RolloutCheck } from './rollout.guard.js';
import { Rollout, SettingsRollout } from './rollout.js';

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
      ],
      exports: [RolloutCheck, Rollout],
    };
  }
}
