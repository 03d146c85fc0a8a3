import { describeStandalone } from '../../setup/host-application.js';
import { setTimeout as pause } from 'node:timers/promises';
import { buyer, grant, load, signIn } from '../../builders/index.js';
import { bearer, cookie, LIST, type CallOptions } from '../../setup/http-call.js';
import { signInSuite } from './world.js';

describe('the rate limit', () => {
  const suite = signInSuite();

  /** A fresh buyer: by her session and by her assistant. */
  async function fresh(): Promise<{
    session: CallOptions;
    assistant: CallOptions;
    buyerId: string;
  }> {
    const anna = buyer();
    const { record, cookie: value } = signIn(anna.id);
    await load(suite.world.database, [anna, record, grant({ buyerId: anna.id })]);
    return {
      buyerId: anna.id,
      session: cookie(value),
      assistant: bearer(await suite.world.issuer.token(anna.id)),
    };
  }

  /** A call, made again where a slow machine could not sign it in: that comes before it is counted. */
  async function counted(path: string, options: CallOptions): Promise<number> {
    const { status, code } = await suite.app.call(path, options);
    return code === 'auth_unverifiable' ? counted(path, options) : status;
  }

  /** Statuses of calls, thirty at a time. */
  async function statuses(count: number, options: CallOptions, path = LIST): Promise<number[]> {
    const answered: number[] = [];
    let sent = 0;
    const caller = async (): Promise<void> => {
      while (sent++ < count) answered.push(await counted(path, options));
    };
    await Promise.all(Array.from({ length: 30 }, caller));
    return answered;
  }

  it('lets 120 requests pass and refuses the 121st, truthfully', async () => {
    const { session } = await fresh();
    expect(new Set(await statuses(120, session))).toEqual(new Set([200]));
    const refused = await suite.app.call(LIST, session);
    expect([refused.status, refused.code]).toEqual([429, 'rate_limited']);
    expect(String(refused.headers['retry-after'])).toMatch(/^([1-9]|[1-5]\d|60)$/);
    expect(refused.text).not.toContain('data');
    expect(Object.keys(refused.headers).filter((name) => /ratelimit/i.test(name))).toEqual([]);
    const passed = await suite.app.call(LIST, (await fresh()).session);
    expect(Object.keys(passed.headers).filter((name) => /ratelimit|retry/i.test(name))).toEqual([]);
  });

  it('counts exactly in a parallel burst', async () => {
    const { assistant } = await fresh();
    const answered = await statuses(160, assistant);
    expect(answered.filter((status) => status === 200)).toHaveLength(120);
    expect(answered.filter((status) => status === 429)).toHaveLength(40);
  });

  it('is one for the list, the get and HEAD, for every status', async () => {
    const { session } = await fresh();
    expect(new Set(await statuses(40, session))).toEqual(new Set([200]));
    expect(new Set(await statuses(30, session, suite.world.getPath))).toEqual(new Set([404]));
    expect(new Set(await statuses(30, session, `${LIST}?since=yesterday`))).toEqual(new Set([400]));
    expect(new Set(await statuses(20, { ...session, method: 'HEAD' }))).toEqual(new Set([200]));
    expect((await suite.app.call(LIST, session)).status).toBe(429);
    expect((await suite.app.call(suite.world.getPath, session)).status).toBe(429);
    expect((await suite.app.call(LIST, { ...session, method: 'HEAD' })).status).toBe(429);
  });

  it('is one for all sessions of a buyer, another for each assistant, and not another buyer’s', async () => {
    const { session, assistant, buyerId } = await fresh();
    const { record, cookie: second } = signIn(buyerId);
    await load(suite.world.database, [record, grant({ buyerId, clientId: 'assistant-2' })]);
    await statuses(120, session);
    expect((await suite.app.call(LIST, cookie(second))).status).toBe(429);
    expect((await suite.app.call(LIST, assistant)).status).toBe(200);
    await statuses(119, assistant);
    expect((await suite.app.call(LIST, assistant)).status).toBe(429);
    const renewed = await suite.world.issuer.token(buyerId.toUpperCase());
    expect((await suite.app.call(LIST, bearer(renewed))).status).toBe(429);
    const other = await suite.world.issuer.token(buyerId, { claims: { client_id: 'assistant-2' } });
    expect((await suite.app.call(LIST, bearer(other))).status).toBe(200);
    expect((await suite.app.call(LIST, (await fresh()).session)).status).toBe(200);
  });

  describeStandalone('of the application', () => {
    it('does not touch health', async () => {
      const answered = await statuses(150, {}, '/health/live');
      expect(new Set(answered)).toEqual(new Set([200]));
    });
  });

  it('always admits a client that obeys Retry-After, and one that hammers no sooner', async () => {
    const quick = await suite.world.start({ READ_RATE_LIMIT: '3', READ_RATE_WINDOW_SECONDS: '2' });
    const rounds = async ({ session }: { session: CallOptions }): Promise<void> => {
      for (let round = 0; round < 2; round += 1) {
        let answer = await quick.call(LIST, session);
        while (answer.status === 200) answer = await quick.call(LIST, session);
        await quick.call(LIST, session);
        await pause(Number(answer.headers['retry-after']) * 1000);
        expect((await quick.call(LIST, session)).status).toBe(200);
      }
    };
    // Buyers are counted apart, so they can wait together.
    await Promise.all([fresh(), fresh(), fresh()].map(async (buyer) => rounds(await buyer)));
    await quick.stop();
  });
});
