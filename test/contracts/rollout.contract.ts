/* eslint-disable jest/no-export -- a suite for implementations to run */
import { Deadline } from '../../src/kernel/deadline.js';
import { READ_SCOPE, type Principal } from '../../src/kernel/principal.js';
import type { Rollout } from '../../src/rollout/rollout.js';

/** How the suite sets flags. */
export interface RolloutFixture {
  /** The rollout under test, with these flags and no others: on for everyone, nobody, or one buyer. */
  withFlags(
    flags: Record<'list' | 'get', 'on' | 'off' | { buyerId: string }>,
  ): Promise<Rollout> | Rollout;
}

const ANNA = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d';
const scopes = new Set([READ_SCOPE]);
const session = (buyerId: string): Principal => ({ type: 'session', buyerId, scopes });
const assistant = (buyerId: string): Principal => ({
  type: 'assistant',
  buyerId,
  clientId: 'assistant-1',
  scopes,
  isHosted: false,
  seesChanges: false,
});

/** What every rollout must do; run it against your own. */
export function rolloutContract({ withFlags }: RolloutFixture): void {
  let deadline: Deadline;

  beforeEach(() => {
    deadline = new Deadline(8000);
  });

  afterEach(() => deadline.finish());

  it('turns each endpoint on and off by itself', async () => {
    const rollout = await withFlags({ list: 'on', get: 'off' });
    expect(await rollout.isOn('list', session(ANNA), deadline)).toBe(true);
    expect(await rollout.isOn('get', session(ANNA), deadline)).toBe(false);
  });

  it('turns an endpoint on for one buyer and not for another, also through her assistant', async () => {
    const rollout = await withFlags({ list: { buyerId: ANNA }, get: 'on' });
    const other = '7e0e0c3a-3c1d-4d4e-8a52-3f0f2a6b9f10';
    expect(await rollout.isOn('list', session(ANNA), deadline)).toBe(true);
    expect(await rollout.isOn('list', assistant(ANNA), deadline)).toBe(true);
    expect(await rollout.isOn('list', session(other), deadline)).toBe(false);
    expect(await rollout.isOn('list', assistant(other), deadline)).toBe(false);
  });

  it('answers one question the same way each time', async () => {
    const rollout = await withFlags({ list: { buyerId: ANNA }, get: 'off' });
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => rollout.isOn('list', session(ANNA), deadline)),
    );
    expect(new Set(answers)).toEqual(new Set([true]));
  });
}
