import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { Endpoint } from '../kernel/endpoint.js';
import type { Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/** Flags from the environment: `ROLLOUT_LIST` and `ROLLOUT_GET`, fixed while the process runs. */
@Injectable()
export class EnvironmentRollout extends Rollout {
  constructor(private readonly settings: Settings) {
    super();
  }

  override isOn(endpoint: Endpoint, { buyerId }: Principal): boolean {
    const setting = this.settings.rollout[endpoint];
    return typeof setting === 'string' ? setting === 'on' : setting.has(buyerId);
  }
}
