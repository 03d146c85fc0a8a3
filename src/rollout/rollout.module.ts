import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { RolloutCheck } from './rollout-check.js';
import { RolloutGuard } from './rollout.guard.js';
import { SettingsRollout } from './settings-rollout.js';

/** Decides for which callers an endpoint is turned on. */
@Module({
  imports: [ObservabilityModule, HttpModule],
  providers: [SettingsRollout, RolloutCheck, RolloutGuard],
  exports: [SettingsRollout, RolloutCheck, RolloutGuard],
})
export class RolloutModule {}
