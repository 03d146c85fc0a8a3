import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { DealSetQueries } from '../deal-sets/queries/deal-set-queries.js';
import { Deadline } from '../kernel/deadline.js';
import { PRINCIPAL_TYPES, type PrincipalType } from '../kernel/principal.js';
import { hasCode, inTime, type ContractTest } from './contract-test.js';
import { givesUpHungCalls, type HungFixture } from './hung-part.js';

/** A buyer with at least one active deal set of at least one row, and another buyer, with or without requests. */
export interface DealSetQueriesWorld {
  readonly buyerId: string;
  readonly dealSetId: string;
  readonly strangerId: string;
  /**
   * Words that the source holds about the buyer's requests and an assistant must not know: names of
   * dealerships, a ZIP code, a message.
   */
  readonly withheldWords: readonly string[];
}

/** How the suite reaches the reader. */
export interface DealSetQueriesFixture {
  /** The reader under test. */
  readonly reader: () => DealSetQueries;
  /** What the source holds; it does not change while the suite runs. */
  readonly world: () => DealSetQueriesWorld;
  /** The reader on a source that hangs; null for a reader without I/O. */
  readonly hung: HungFixture<DealSetQueries>;
}

/** What every reader of requests must do. */
export function dealSetQueriesContract(fixture: DealSetQueriesFixture): readonly ContractTest[] {
  const { reader, world } = fixture;
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
      const { requests } = await reader().active(principalType, buyerId, deadline);
      assert.ok(
        requests.some(({ kind, id }) => kind === 'deal_set' && id === dealSetId),
        'the deal set is not listed',
      );
      const one = await reader().one(principalType, buyerId, dealSetId, deadline);
      assert.equal(one?.id, dealSetId);
      assert.notEqual(one.priceChecks.length, 0, 'the deal set has no row');
    }),

    ...forEach('reads nothing of another buyer', async (principalType, deadline) => {
      const { strangerId, dealSetId, buyerId } = world();
      assert.equal(await reader().one(principalType, strangerId, dealSetId, deadline), null);
      assert.equal(await reader().one(principalType, buyerId, randomUUID(), deadline), null);
      const { requests } = await reader().active(principalType, strangerId, deadline);
      const page = await reader().changedSince(principalType, strangerId, 0, deadline);
      for (const { id } of [...requests, ...page.requests]) assert.notEqual(id, dealSetId);
    }),

    ...forEach('pages what changed strictly after a time', async (principalType, deadline) => {
      const { buyerId, dealSetId } = world();
      const seen = new Set<string>();
      let sinceMs = 0;
      for (let pages = 0; pages < 100; pages += 1) {
        const { requests, reading } = await reader().changedSince(
          principalType,
          buyerId,
          sinceMs,
          deadline,
        );
        for (const { kind, id } of requests) {
          assert.ok(!seen.has(`${kind} ${id}`), 'a request that did not change came twice');
          seen.add(`${kind} ${id}`);
        }
        assert.equal(reading.pageEdgeMs === null, requests.length === 0);
        if (reading.pageEdgeMs === null) break;
        assert.ok(reading.pageEdgeMs > sinceMs, 'the edge of a page is not after its `since`');
        sinceMs = reading.pageEdgeMs;
        if (!reading.hasMore) break;
      }
      assert.ok(seen.has(`deal_set ${dealSetId}`), 'the deal set never came');
      const rest = await reader().changedSince(principalType, buyerId, sinceMs, deadline);
      assert.deepEqual([rest.requests.length, rest.reading.hasMore], [0, false]);
    }),

    inTime('reads no withheld fact for an assistant', async (deadline) => {
      const { buyerId, dealSetId, withheldWords } = world();
      const text = JSON.stringify([
        await reader().active('assistant', buyerId, deadline),
        await reader().changedSince('assistant', buyerId, 0, deadline),
        await reader().one('assistant', buyerId, dealSetId, deadline),
      ]);
      for (const word of withheldWords) {
        assert.ok(!text.includes(word), 'a fact that is withheld from assistants was read');
      }
      const one = await reader().one('assistant', buyerId, dealSetId, deadline);
      for (const row of one?.priceChecks ?? []) {
        assert.deepEqual([row.distanceMiles, row.dealershipName], [null, null]);
      }
    }),

    ...forEach('fails with `unavailable` once the time is up', async (principalType) => {
      const { buyerId, dealSetId } = world();
      const over = new Deadline(60_000);
      over.end();
      const reads = [
        () => reader().active(principalType, buyerId, over),
        () => reader().changedSince(principalType, buyerId, 0, over),
        () => reader().one(principalType, buyerId, dealSetId, over),
      ];
      for (const read of reads) await assert.rejects(async () => read(), hasCode('unavailable'));
    }),

    ...givesUpHungCalls(fixture.hung, (hung, limit) =>
      hung.one('session', world().buyerId, world().dealSetId, limit),
    ),
  ];
}
