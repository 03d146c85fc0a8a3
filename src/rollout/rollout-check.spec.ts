import { RunningDeadline } from '../kernel/deadline.js';
import { TimeLimits } from '../kernel/time-limits.js';
import type { Principal } from '../kernel/principal.js';
import type { Settings } from '../config/settings.js';
import { RolloutCheck } from './rollout-check.js';
import { Rollout } from './rollout.js';
import { SettingsRollout } from './settings-rollout.js';

const BUYER: Principal = { type: 'session', buyerId: '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d' };

/** A rollout of a host application. */
class HostRollout extends Rollout {
  override isOn(): Promise<boolean> {
    return Promise.resolve(true);
  }
}

/** Returns how many timers run while a flag is evaluated. */
async function timersDuring(rollout: (settings: SettingsRollout) => Rollout): Promise<number> {
  const settings = new SettingsRollout({ rollout: { list: 'on' } } as unknown as Settings);
  const check = new RolloutCheck(
    rollout(settings),
    settings,
    {} as never,
    {} as never,
    new TimeLimits(),
  );
  const deadline = new RunningDeadline(10_000);
  try {
    const timersBefore = jest.getTimerCount();
    const done = check.check('list', BUYER, deadline);
    const timers = jest.getTimerCount() - timersBefore;
    await done;
    return timers;
  } finally {
    deadline.stop();
  }
}

describe('the check of a flag', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('limits the time of a host application’s rollout', async () => {
    expect(await timersDuring(() => new HostRollout())).toBe(1);
  });

  it('sets no timer for a flag of the settings', async () => {
    expect(await timersDuring((settings) => settings)).toBe(0);
  });
});
