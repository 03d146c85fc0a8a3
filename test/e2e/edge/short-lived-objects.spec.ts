import autocannon from 'autocannon';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { createWorld, type SignInWorld } from '../sign-in/world.js';

const CONNECTIONS = 16;
const WARM_UP = 2_000;
const REQUESTS = 4_000;

/**
 * What a request leaves among the old objects. They are collected rarely and all at once, which holds up every
 * other request: what is gone with its response should be collected with the new ones.
 */
describe('the objects of a request', () => {
  let world: SignInWorld;
  let service: RunningProcess;

  beforeAll(async () => {
    world = await createWorld();
    service = await startProcess({
      nodeOptions: ['--max-semi-space-size=16', '--trace-gc', '--trace-gc-nvp'],
      env: { ...world.env, READ_RATE_LIMIT: '1000000', LOG_LEVEL: 'warn' },
    });
  });

  afterAll(async () => {
    await service.stop();
    await world.close();
  });

  /**
   * Sends requests without a pause, by turns the buyer's own and her assistant's.
   *
   * @returns how many got a list: a cold service on a busy machine may send some away.
   */
  async function ask(amount: number): Promise<number> {
    const callers = [cookie(world.cookie), bearer(await world.token())];
    const result = await autocannon({
      url: service.baseUrl,
      connections: CONNECTIONS,
      amount,
      requests: callers.map(({ headers }) => ({ path: LIST, headers })),
    });
    expect(result.errors).toBe(0);
    return result['2xx'];
  }

  it('are collected while they are new', async () => {
    await ask(WARM_UP);
    const before = service.output().length;
    expect(await ask(REQUESTS)).toBeGreaterThan(REQUESTS * 0.9);
    const collections =
      service
        .output()
        .slice(before)
        .match(/ gc=s .*/g) ?? [];
    expect(collections.length).toBeGreaterThan(3);
    const promoted = collections.map((line) => Number(/ promoted=(\d+)/.exec(line)?.[1]));
    const promotedKb = promoted.reduce((sum, bytes) => sum + bytes, 0) / 1024;
    expect(promotedKb / REQUESTS).toBeLessThan(1);
  });
});
