import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DealSetQueries, FeedPage } from '../deal-sets/queries/deal-set-queries.js';
import { Deadline } from '../kernel/deadline.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../kernel/principal.js';
import { hasCode, inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-part.js';

/** A buyer with at least one active deal set of at least one row, and another buyer, with or without requests. */
export interface DealSetQueriesWorld {
  readonly buyerId: string;
  readonly dealSetId: string;
  /** Replies that ever came for the deal set. */
  readonly replyCount: number;
  readonly strangerId: string;
  /**
   * Words that the source holds about the buyer's requests and an assistant must not know: names of
   * dealerships, a ZIP code, a message.
   */
  readonly withheldWords: readonly string[];
}

/** How the suite reaches the queries. */
export interface DealSetQueriesFixture {
  /** The queries under test. */
  readonly queries: () => DealSetQueries;
  /** What the source holds; it does not change while the suite runs. */
  readonly world: () => DealSetQueriesWorld;
  /** The queries on a source that hangs; null for ones without I/O. */
  readonly hung: HungFixture<DealSetQueries>;
}

/** What every implementation of `DealSetQueries` must do. */
export function dealSetQueriesContract(fixture: DealSetQueriesFixture): readonly ContractTest[] {
  const { queries, world } = fixture;
  const forEach = (
    name: string,
    work: (principalType: PrincipalType, deadline: Deadline) => Promise<void>,
  ): readonly ContractTest[] =>
    PRINCIPAL_TYPES.map((principalType) =>
      inTime(`for ${principalType}: ${name}`, (d) => work(principalType, d)),
    );
  return [
    ...forEach('lists the deal set and reads it by its id', async (principalType, deadline) => {
      const { buyerId, dealSetId } = world();
      const { requests } = await queries().listActive(principalType, buyerId, deadline);
      assert.ok(
        requests.some(({ kind, id }) => kind === 'deal_set' && id === dealSetId),
        'the deal set is not listed',
      );
      const one = await queries().findDealSet(principalType, buyerId, dealSetId, deadline);
      assert.equal(one?.id, dealSetId);
      assert.notEqual(one.priceChecks.length, 0, 'the deal set has no row');
    }),

    ...forEach('reads nothing of another buyer', async (principalType, deadline) => {
      const { strangerId, dealSetId, buyerId } = world();
      assert.equal(
        await queries().findDealSet(principalType, strangerId, dealSetId, deadline),
        null,
      );
      assert.equal(
        await queries().findDealSet(principalType, buyerId, randomUUID(), deadline),
        null,
      );
      const { requests } = await queries().listActive(principalType, strangerId, deadline);
      const page = await queries().changedSince(principalType, strangerId, 0, deadline);
      for (const { id } of [...requests, ...page.requests]) assert.notEqual(id, dealSetId);
    }),

    ...forEach('pages what changed strictly after a time', async (principalType, deadline) => {
      const { buyerId, dealSetId } = world();
      const seen = new Set<string>();
      let sinceMs = 0;
      for (let pages = 0; pages < 100; pages += 1) {
        const { requests, snapshot } = await queries().changedSince(
          principalType,
          buyerId,
          sinceMs,
          deadline,
        );
        for (const { kind, id } of requests) {
          assert.ok(!seen.has(`${kind} ${id}`), 'a request that did not change came twice');
          seen.add(`${kind} ${id}`);
        }
        assert.equal(snapshot.lastFeedAtMs === null, requests.length === 0);
        if (snapshot.lastFeedAtMs === null) break;
        assert.ok(
          snapshot.lastFeedAtMs > sinceMs,
          'the last time of a page is not after its `since`',
        );
        sinceMs = snapshot.lastFeedAtMs;
        if (!snapshot.hasMore) break;
      }
      assert.ok(seen.has(`deal_set ${dealSetId}`), 'the deal set never came');
      const rest = await queries().changedSince(principalType, buyerId, sinceMs, deadline);
      assert.deepEqual([rest.requests.length, rest.snapshot.hasMore], [0, false]);
    }),

    ...forEach('adds replies to the same page', async (principalType, deadline) => {
      const { buyerId, dealSetId, replyCount } = world();
      const page = await queries().changedSince(principalType, buyerId, 0, deadline);
      const same = await queries().changedSinceWithReplies(principalType, buyerId, 0, deadline);
      assert.deepEqual(outlineOf(same), outlineOf(page));
      // The world states the number of replies for this deal set only.
      assert.equal(same.replies.get(`deal_set:${dealSetId}`)?.count ?? 0, replyCount);
      const keys = page.requests.map(({ kind, id }) => `${kind}:${id}`);
      for (const [key, { count, latestAt }] of same.replies) {
        assert.ok(keys.includes(key), 'replies of a request that is not on the page');
        assert.ok(count >= 1, 'a request without replies is not left out');
        assert.ok(!Number.isNaN(Date.parse(latestAt)), 'the latest receipt is no time');
      }
    }),

    inTime('reads no withheld fact for an assistant', async (deadline) => {
      const { buyerId, dealSetId, withheldWords } = world();
      const text = JSON.stringify([
        await queries().listActive('assistant', buyerId, deadline),
        await queries().changedSince('assistant', buyerId, 0, deadline),
        await queries().changedSinceWithReplies('assistant', buyerId, 0, deadline),
        await queries().findDealSet('assistant', buyerId, dealSetId, deadline),
      ]);
      for (const word of withheldWords) {
        assert.ok(!text.includes(word), 'a fact that is withheld from assistants was read');
      }
      const one = await queries().findDealSet('assistant', buyerId, dealSetId, deadline);
      for (const row of one?.priceChecks ?? []) {
        assert.deepEqual([row.distanceMiles, row.dealershipName], [null, null]);
      }
    }),

    ...forEach('fails with `unavailable` once the time is up', async (principalType) => {
      const { buyerId, dealSetId } = world();
      const over = new Deadline(60_000);
      over.end();
      const reads = [
        () => queries().listActive(principalType, buyerId, over),
        () => queries().changedSince(principalType, buyerId, 0, over),
        () => queries().changedSinceWithReplies(principalType, buyerId, 0, over),
        () => queries().findDealSet(principalType, buyerId, dealSetId, over),
      ];
      for (const read of reads) await assert.rejects(async () => read(), hasCode('unavailable'));
    }),

    ...givesUpHungCalls(fixture.hung, (hung, limit) =>
      hung.findDealSet('session', world().buyerId, world().dealSetId, limit),
    ),
  ];
}

/** What two readings of one page have in common; the clock of each is its own. */
function outlineOf({ requests, snapshot }: FeedPage): unknown {
  return {
    requests: requests.map(
      ({ kind, id, latestActivityAt, lowestWrittenOtdCents, needsYouCount }) => ({
        kind,
        id,
        latestActivityAt,
        lowestWrittenOtdCents,
        needsYouCount,
      }),
    ),
    lastFeedAtMs: snapshot.lastFeedAtMs,
    hasMore: snapshot.hasMore,
    newestMs: snapshot.newestMs,
  };
}
