import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/** Flags from the environment, `ROLLOUT_<FLAG>`, fixed while the process runs. One that is not set is off. */
@Injectable()
export class SettingsRollout extends Rollout {
  constructor(private readonly settings: Settings) {
    super();
  }

  override isOn(flag: string, { buyerId }: Principal): boolean {
    const { rollout } = this.settings;
    const setting = Object.hasOwn(rollout, flag) ? rollout[flag] : undefined;
    if (setting === undefined) return false;
    return typeof setting === 'string' ? setting === 'on' : setting.has(buyerId);
  }
}
