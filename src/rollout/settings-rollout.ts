import { Injectable } from '@nestjs/common';
import { Settings } from '../config/settings.js';
import type { Principal } from '../kernel/principal.js';
import { Rollout } from './rollout.js';

/**
 * The default `Rollout`. It reads the flags from the settings (`ROLLOUT_<FLAG>`), which are fixed
 * while the process runs. A flag that is not set is off.
 */
@Injectable()
export class SettingsRollout extends Rollout {
  constructor(private readonly settings: Settings) {
    super();
  }

  /** Returns whether the settings contain a flag. */
  isSet(flag: string): boolean {
    return Object.hasOwn(this.settings.rollout, flag);
  }

  override isOn(flag: string, { buyerId }: Principal): boolean {
    const setting = this.isSet(flag) ? this.settings.rollout[flag] : undefined;
    return typeof setting === 'object' ? setting.has(buyerId) : setting === 'on';
  }
}
