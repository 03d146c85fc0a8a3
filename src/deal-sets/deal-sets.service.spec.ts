import type { Settings } from '../config/settings.js';
import type { Deadline } from '../kernel/deadline.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { ANNA, assistantOf } from '../../packages/testing/src/principals.js';
import { DealSetsService, type ListPage } from './deal-sets.service.js';
import { ENGLISH } from './domain/english-texts.js';
import type { FeedPage } from './queries/deal-set-queries.js';

const READ_AT_MS = 2_000_000;
const SINCE_MS = 1_000_000;
const { repliesMs } = new TimeLimits();

/** A service whose page is empty, and whose look-up of replies never ends. */
function serviceWithoutReplies(): DealSetsService {
  const page: Omit<FeedPage, 'node'> = {
    requests: [],
    snapshot: {
      readAtMs: READ_AT_MS,
      isQuiet: true,
      lastFeedAtMs: null,
      hasMore: false,
      newestMs: null,
    },
  };
  const queries = {
    changedSince: () => Promise.resolve(page),
    repliesOf: () => new Promise(() => undefined),
  };
  const settings = { feedMarginMs: 0, requestDeadlineMs: 8_000 } as Settings;
  const metrics = { observe: () => undefined, repliesUnchecked: { inc: () => undefined } };
  const logger = { warn: () => undefined };
  const customFields = { load: () => Promise.resolve(() => undefined) };
  const rules = { hiddenFrom: () => ({ facts: new Set() }) };
  const texts = { forCaller: () => Promise.resolve(ENGLISH) };
  const parts = [queries, settings, metrics, logger, customFields, rules, texts] as never[];
  return new (DealSetsService as new (...parts: unknown[]) => DealSetsService)(
    ...parts,
    new TimeLimits(),
  );
}

describe('the replies of a page', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    [8_000, repliesMs],
    [1_000, 500],
  ])(
    'are looked up for at most half of the %d ms that are left to the request',
    async (leftMs, limitMs) => {
      const { signal } = new AbortController();
      const deadline: Deadline = { signal, remainingMs: () => leftMs };
      const assistant = assistantOf(ANNA, { seesChanges: true });
      let listed: ListPage | undefined;
      void serviceWithoutReplies()
        .list(assistant, { sinceMs: SINCE_MS }, deadline)
        .then((page) => (listed = page));
      await jest.advanceTimersByTimeAsync(limitMs - 1);
      expect(listed).toBeUndefined();
      await jest.advanceTimersByTimeAsync(2);
      expect(listed).toEqual({ response: { data: [] }, hasMore: false, asOfMs: SINCE_MS });
    },
  );
});
