import { buyer, grant, insert, signIn } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import type { TestService } from '../../setup/test-service.js';
import { signInSuite } from './sign-in-suite.js';

describe('the rate limit', () => {
  /** A second service of the suite's world, with a limit of four. */
  let four: TestService;
  // Jest runs these in order, so it stops before the world is closed.
  afterAll(() => four.stop());
  const suite = signInSuite();
  beforeAll(async () => (four = await suite.world.start({ env: { READ_RATE_LIMIT: '4' } })));

  /** Stores a new buyer, and returns the credentials of the session and of the assistant. */
  async function newBuyer() {
    const anna = buyer();
    const { record, cookie: value } = signIn(anna.id);
    await insert(suite.world.database, [anna, record, grant({ buyerId: anna.id })]);
    const assistant = bearer(await suite.world.issuer.token(anna.id));
    return { buyerId: anna.id, session: cookie(value), assistant };
  }

  /**
   * Makes a call, and repeats it where a slow machine could not sign it in, which happens before it
   * is counted.
   */
  async function counted(app: TestService, options: CallOptions, path = LIST): Promise<number> {
    const { status, code } = await app.call(path, options);
    return code === 'auth_unverifiable' ? counted(app, options, path) : status;
  }

  it('rejects exactly 40 of a parallel burst of 160, with the correct wait', async () => {
    const { assistant } = await newBuyer();
    // The window begins with the first call and does not move during a burst that takes longer.
    const startedAt = performance.now();
    const monotonic = jest.spyOn(performance, 'now').mockReturnValue(startedAt);
    const statuses: number[] = [];
    let sent = 0;
    const caller = async (): Promise<void> => {
      while (sent++ < 160) statuses.push(await counted(suite.app, assistant));
    };
    await Promise.all(Array.from({ length: 30 }, caller));
    monotonic.mockRestore();
    // A call that is counted may miss the deadline, so the others are not all 200.
    expect(statuses.filter((status) => status === 429)).toHaveLength(40);
    const response = await suite.app.call(LIST, assistant);
    expect([response.status, response.code]).toEqual([429, 'rate_limited']);
    expect(String(response.headers['retry-after'])).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(response.text).not.toContain('data');
    const passed = await suite.app.call(LIST, (await newBuyer()).session);
    const quotaHeaders = Object.keys(passed.headers).filter((name) =>
      /ratelimit|retry/i.test(name),
    );
    expect(quotaHeaders.sort()).toEqual(['ratelimit', 'ratelimit-policy']);
  });

  it('shows the quota on every counted response, and on no other response', async () => {
    const { session, assistant } = await newBuyer();
    const { getPath } = suite.world.buyer;
    const quotaOf = async (options: CallOptions, path = LIST): Promise<unknown[]> => {
      const { status, code, headers } = await four.call(path, options);
      if (code === 'auth_unverifiable') return quotaOf(options, path);
      return [status, headers['ratelimit-policy'], headers['ratelimit']];
    };
    const policy = '"read";q=4;w=60';
    expect([
      await quotaOf(session),
      await quotaOf(session, getPath),
      await quotaOf(session, `${LIST}?since=yesterday`),
      await quotaOf({ ...session, method: 'HEAD' }),
    ]).toEqual([
      [200, policy, '"read";r=3;t=60'],
      [404, policy, '"read";r=2;t=60'],
      [400, policy, '"read";r=1;t=60'],
      [200, policy, '"read";r=0;t=60'],
    ]);
    const { status, headers } = await four.call(LIST, session);
    expect([status, headers['ratelimit-policy'], headers['ratelimit']]).toEqual([
      429,
      policy,
      `"read";r=0;t=${String(headers['retry-after'])}`,
    ]);
    expect(await quotaOf(assistant)).toEqual([200, policy, '"read";r=3;t=60']);
    expect(await quotaOf({})).toEqual([401, undefined, undefined]);
    expect(await quotaOf(bearer('no token'))).toEqual([401, undefined, undefined]);
  });

  it('is shared by the list, the get and HEAD, for every status', async () => {
    const { session } = await newBuyer();
    const head = { ...session, method: 'HEAD' };
    const { getPath } = suite.world.buyer;
    const statuses = [
      await counted(four, session),
      await counted(four, session, getPath),
      await counted(four, session, `${LIST}?since=yesterday`),
      await counted(four, head),
    ];
    expect(statuses).toEqual([200, 404, 400, 200]);
    for (const [options, path] of [[session], [session, getPath], [head]] as const)
      expect(await counted(four, options, path)).toBe(429);
  });

  it('is shared by all sessions of a buyer, and separate for each assistant and each buyer', async () => {
    const { session, assistant, buyerId } = await newBuyer();
    const { record, cookie: second } = signIn(buyerId);
    await insert(suite.world.database, [record, grant({ buyerId, clientId: 'assistant-2' })]);
    const exhaust = async (options: CallOptions): Promise<void> => {
      for (let call = 0; call < 4; call += 1) expect(await counted(four, options)).toBe(200);
    };
    await exhaust(session);
    expect(await counted(four, cookie(second))).toBe(429);
    await exhaust(assistant);
    const renewed = await suite.world.issuer.token(buyerId.toUpperCase());
    expect(await counted(four, bearer(renewed))).toBe(429);
    const other = await suite.world.issuer.token(buyerId, { claims: { client_id: 'assistant-2' } });
    expect(await counted(four, bearer(other))).toBe(200);
    expect(await counted(four, (await newBuyer()).session)).toBe(200);
  });

  describeStandalone('of the application', () => {
    it('does not affect health', async () => {
      for (let call = 0; call < 10; call += 1)
        expect((await four.call('/health/live')).status).toBe(200);
    });
  });

  describe('with a given time', () => {
    const monotonic = performance.now.bind(performance);
    /** How far the monotonic clock is ahead of the real one. */
    let waitedMs = 0;
    beforeEach(() => {
      waitedMs = 0;
      jest.spyOn(performance, 'now').mockImplementation(() => monotonic() + waitedMs);
    });
    afterEach(() => jest.restoreAllMocks());

    it('ignores a clock that is set back: the wait is correct and the whole limit is available after it', async () => {
      const { session } = await newBuyer();
      expect([await counted(four, session), await counted(four, session)]).toEqual([200, 200]);
      const wallClock = Date.now.bind(Date);
      jest.spyOn(Date, 'now').mockImplementation(() => wallClock() - 3_600_000);
      const statusesOf = async (calls: number): Promise<number[]> => {
        const statuses: number[] = [];
        while (statuses.length < calls) statuses.push(await counted(four, session));
        return statuses;
      };
      expect(await statusesOf(3)).toEqual([200, 200, 429]);
      const { headers } = await four.call(LIST, session);
      expect(String(headers['retry-after'])).toMatch(/^([1-9]|[1-5]\d|60)$/);
      waitedMs += 60_000;
      expect(await statusesOf(5)).toEqual([200, 200, 200, 200, 429]);
    });

    it('always admits a client that obeys Retry-After, even after further rejected requests', async () => {
      const { session } = await newBuyer();
      for (let round = 0; round < 2; round += 1) {
        while ((await counted(four, session)) === 200);
        waitedMs += 10_000;
        for (let call = 0; call < 4; call += 1) expect(await counted(four, session)).toBe(429);
        const { headers } = await four.call(LIST, session);
        // A rejected request is not counted, so the wait ends with the window of the counted ones.
        const retryAfterSeconds = Number(headers['retry-after']);
        expect(retryAfterSeconds).toBeLessThanOrEqual(50);
        waitedMs += retryAfterSeconds * 1_000;
        expect(await counted(four, session)).toBe(200);
      }
    });
  });
});
