import { Module } from '@nestjs/common';
import { ObservabilityModule } from '../observability/observability.module.js';
import { RolloutCheck } from './rollout-check.js';
import { SettingsRollout } from './settings-rollout.js';

/** Decides for which callers an endpoint is turned on. */
@Module({
  imports: [ObservabilityModule],
  providers: [SettingsRollout, RolloutCheck],
  exports: [SettingsRollout, RolloutCheck],
})
export class RolloutModule {}
