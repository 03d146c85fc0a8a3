import type { Principal } from '../kernel/principal.js';
import { UsageError } from '../kernel/usage-error.js';
import { InProcessStorage } from './in-process-storage.js';
import { RateLimitedError, RateLimits } from './rate-limits.js';

describe('the count of a request', () => {
  const storage = new InProcessStorage();
  const throttlers = [{ name: 'notes', limit: 2, ttl: 60_000 }];
  const rateLimits = new RateLimits(throttlers, storage as never);
  afterAll(() => storage.onApplicationShutdown());
  afterEach(() => jest.restoreAllMocks());

  const buyer = (buyerId: string): Principal => ({ type: 'session', buyerId });

  it('returns the quota, and rejects a request beyond the limit with it', async () => {
    const quota = { rateClass: 'notes', limit: 2, windowSeconds: 60 };
    const count = (): Promise<unknown> => rateLimits.count('notes', buyer('1'));
    expect(await count()).toEqual({ ...quota, remaining: 1, resetSeconds: 60 });
    expect(await count()).toEqual({ ...quota, remaining: 0, resetSeconds: 60 });
    const error: unknown = await count().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(RateLimitedError);
    expect(error).toMatchObject({
      code: 'rate_limited',
      retryAfterSeconds: 60,
      quota: { ...quota, remaining: 0, resetSeconds: 60 },
    });
  });

  it('counts the session and each assistant of a buyer separately', async () => {
    const scopes = new Set<string>();
    const assistant = { type: 'assistant', buyerId: '2', scopes } as const;
    const flags = { isHosted: false, seesChanges: false };
    for (const caller of [
      buyer('2'),
      { ...assistant, ...flags, clientId: 'a' },
      { ...assistant, ...flags, clientId: 'b' },
    ]) {
      expect(await rateLimits.count('notes', caller)).toMatchObject({ remaining: 1 });
    }
  });

  it('keeps the hits of a longer window when a route has a shorter one', async () => {
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    await rateLimits.count('notes', buyer('3'));
    await rateLimits.count('notes', buyer('3'));
    clock.mockReturnValue(now + 1_000);
    await rateLimits.count('notes', buyer('3'), { limit: 2, windowMs: 500 });
    await expect(rateLimits.count('notes', buyer('3'))).rejects.toThrow(RateLimitedError);
  });

  it.each([{ limit: 0 }, { windowMs: 0 }, { windowMs: -1 }])(
    'fails with a message that names the class: %j',
    async (over) => {
      const rate = { limit: 2, windowMs: 60_000, ...over };
      await expect(rateLimits.count('notes', buyer('4'), rate)).rejects.toThrow(
        new UsageError('throttlers: notes: expected a limit and a ttl of at least 1'),
      );
    },
  );
});
