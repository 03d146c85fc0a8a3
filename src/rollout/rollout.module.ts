import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import type { ModuleRegistration } from '../config/module-registration.js';
import { RolloutCheck } from './rollout-check.js';
import { RolloutGuard } from './rollout.guard.js';
import { Rollout } from './rollout.js';
import { SettingsRollout } from './settings-rollout.js';

/** The port of this module, with its default. */
export const ROLLOUT_PORTS = [
  { provide: Rollout, useExisting: SettingsRollout },
] as const satisfies readonly Provider[];

/** Decides for which callers an endpoint is turned on. */
@Module({})
export class RolloutModule {
  static register({ imports, replacements = [] }: ModuleRegistration): DynamicModule {
    return {
      module: RolloutModule,
      imports,
      providers: [SettingsRollout, ...ROLLOUT_PORTS, ...replacements, RolloutCheck, RolloutGuard],
      exports: [Rollout, RolloutCheck, RolloutGuard],
    };
  }
}
