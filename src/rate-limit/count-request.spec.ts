import { UsageError } from '../kernel/usage-error.js';
import { countRequest } from './count-request.js';
import { InProcessStorage } from './in-process-storage.js';

describe('the count of a request', () => {
  const storage = new InProcessStorage();
  afterAll(() => storage.onApplicationShutdown());
  afterEach(() => jest.restoreAllMocks());

  const request = { rateClass: 'notes', key: 'notes session 1', limit: 2, windowMs: 60_000 };

  it('keeps the hits of a longer window when a route has a shorter one', async () => {
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now);
    await countRequest(storage, request);
    await countRequest(storage, request);
    clock.mockReturnValue(now + 1_000);
    await countRequest(storage, { ...request, windowMs: 500 });
    expect((await countRequest(storage, request)).isBlocked).toBe(true);
  });

  it.each([{ limit: 0 }, { windowMs: 0 }, { windowMs: -1 }])(
    'fails with a message that names the class: %j',
    async (over) => {
      await expect(countRequest(storage, { ...request, ...over })).rejects.toThrow(
        new UsageError('throttlers: notes: expected a limit and a ttl of at least 1'),
      );
    },
  );
});
