import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../../../src/kernel/app-error.js';
import { SessionStore, type StoredSession } from '../../../src/auth/session-store.js';
import { DealSetQueries } from '../../../src/deal-sets/queries/deal-set-queries.js';
import { Rollout } from '../../../src/rollout/rollout.js';
import { describeStandalone } from '../../setup/host-application.js';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { createWorld, type SignInWorld } from './world.js';

/** A flag that a test switches while the service runs. */
class Switch extends Rollout {
  state: 'on' | 'off' | 'fails' | 'hangs' | 'odd' = 'on';

  override isOn(): Promise<boolean> | boolean {
    if (this.state === 'fails') throw new Error('flag source');
    if (this.state === 'hangs') return new Promise(() => undefined);
    if (this.state === 'odd') return 'yes' as unknown as boolean;
    return this.state === 'on';
  }
}

class LostSessions extends SessionStore {
  override find(): Promise<StoredSession | null> {
    return Promise.reject(new Error('lost'));
  }
}

describe('the order of the checks', () => {
  const rollout = new Switch();
  const switched = { provide: Rollout, useValue: rollout };
  let world: SignInWorld;
  let app: TestService;

  beforeAll(async () => {
    world = await createWorld();
  });

  beforeEach(async () => {
    rollout.state = 'on';
    app = await world.start({ READ_RATE_LIMIT: '2' }, { providers: [switched] });
  });

  afterEach(() => app.stop());
  afterAll(() => world.close());

  async function exhaust(): Promise<void> {
    const options = bearer(await world.token());
    for (let call = 0; call < 2; call += 1) await app.call(LIST, options);
    expect((await app.call(LIST, options)).code).toBe('rate_limited');
  }

  // In a host, a path that no endpoint has is the host's to answer.
  describeStandalone('an unknown path', () => {
    it('path before credential', async () => {
      expect((await app.call('/api/v1/deal-set')).code).toBe('not_found');
    });
  });

  it('credential before rollout', async () => {
    rollout.state = 'off';
    expect((await app.call(LIST)).code).toBe('unauthenticated');
  });

  it('credential before rollout, also when it cannot be verified', async () => {
    await app.stop();
    rollout.state = 'off';
    app = await world.start(
      {},
      { providers: [switched, { provide: SessionStore, useClass: LostSessions }] },
    );
    expect((await app.call(LIST, cookie(world.cookie))).code).toBe('auth_unverifiable');
  });

  it('credential before scope', async () => {
    const token = await world.token({ claims: { scope: 'requests:submit', exp: 1 } });
    expect((await app.call(LIST, bearer(token))).code).toBe('unauthenticated');
  });

  it('credential before rate', async () => {
    await exhaust();
    expect((await app.call(LIST, bearer('bad'))).code).toBe('unauthenticated');
  });

  it('credential before since', async () => {
    expect((await app.call(`${LIST}?since=yesterday`)).code).toBe('unauthenticated');
  });

  it('rollout before scope', async () => {
    rollout.state = 'off';
    const token = await world.token({ claims: { scope: 'requests:submit' } });
    expect((await app.call(LIST, bearer(token))).code).toBe('not_found');
  });

  it('rollout before rate', async () => {
    await exhaust();
    rollout.state = 'off';
    expect((await app.call(LIST, bearer(await world.token()))).code).toBe('not_found');
  });

  it('rollout before since', async () => {
    rollout.state = 'off';
    const options = bearer(await world.token());
    expect((await app.call(`${LIST}?since=yesterday`, options)).code).toBe('not_found');
  });

  it('scope before rate', async () => {
    await exhaust();
    const token = await world.token({ claims: { scope: 'requests:submit' } });
    expect((await app.call(LIST, bearer(token))).code).toBe('insufficient_scope');
  });

  it('scope before since', async () => {
    const token = await world.token({ claims: { scope: '' } });
    expect((await app.call(`${LIST}?since=yesterday`, bearer(token))).code).toBe(
      'insufficient_scope',
    );
  });

  it('rate before since', async () => {
    await exhaust();
    const options = bearer(await world.token());
    expect((await app.call(`${LIST}?since=yesterday`, options)).code).toBe('rate_limited');
  });

  it('since before the read', async () => {
    const queries = app.app.get(DealSetQueries, { strict: false });
    jest.spyOn(queries, 'listActive').mockRejectedValue(new AppError('unavailable'));
    const options = bearer(await world.token());
    expect((await app.call(`${LIST}?since=yesterday`, options)).code).toBe('invalid_request');
    expect((await app.call(LIST, options)).code).toBe('unavailable');
  });

  it.each(['fails', 'hangs', 'odd'] as const)('counts a flag that %s as off', async (state) => {
    rollout.state = state;
    const startedAt = performance.now();
    expect((await app.call(LIST, bearer(await world.token()))).code).toBe('not_found');
    expect(performance.now() - startedAt).toBeLessThan(3000);
    rollout.state = 'on';
    await pause(1);
    expect((await app.call(LIST, bearer(await world.token()))).status).toBe(200);
  });

  it('does not count what rollout, scope or sign-in refused', async () => {
    const withoutScope = bearer(await world.token({ claims: { scope: 'requests:submit' } }));
    for (let call = 0; call < 5; call += 1) {
      rollout.state = 'on';
      await app.call(LIST, withoutScope);
      rollout.state = 'off';
      await app.call(LIST, bearer(await world.token()));
      await app.call(LIST, bearer('bad'));
    }
    rollout.state = 'on';
    const answers = [];
    for (let call = 0; call < 3; call += 1)
      answers.push(await app.call(LIST, bearer(await world.token())));
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429]);
  });
});
