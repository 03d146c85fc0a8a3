import fc from 'fast-check';
import type { DealSetFacts, PriceCheckFacts } from '../../../src/deal-sets/domain/facts.js';
import { lowestWrittenOtdCents } from '../../builders/lowest-price.js';
import { partition, rank, summaryOf } from '../../../src/deal-sets/domain/ranking.js';
import { dealSetSection } from '../../../src/deal-sets/domain/row-state.js';
import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { DealSetEntry } from '../../../src/deal-sets/dto/list-entry.js';
import { dealSetFacts } from '../../builders/arbitrary-facts.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  endingBeside,
  grant,
  load,
  priceCheck,
  question,
  signIn,
} from '../../builders/index.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { TestService } from '../../setup/test-service.js';

const unlockedAt = '2026-01-05T00:00:00Z';

/** A deal set, with what the result does not show: whether it has ended, and which rows have finished. */
interface World {
  readonly facts: DealSetFacts;
  readonly hasEnded: boolean;
  readonly finished: ReadonlySet<string>;
}

const worldOf = fc
  .record({
    facts: dealSetFacts,
    hasEnded: fc.boolean(),
    /** Of the rows in turn; none in most worlds, since one that has finished makes its deal set ready. */
    finished: fc.oneof(
      fc.constant([false]),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 5 }),
    ),
  })
  .map(({ finished, ...world }): World => {
    const rows = world.facts.priceChecks;
    return {
      ...world,
      finished: new Set(
        rows.filter((_, index) => finished[index % finished.length]).map(({ id }) => id),
      ),
    };
  });

/** A member as an import record; facts that only triggers derive come back from the database. */
function memberRecord(
  row: PriceCheckFacts,
  hasFinished: boolean,
  owner: { buyerId: string; dealSetId: string; dealershipId: string },
) {
  const { listing, answer } = row;
  const price =
    row.otdCents === null
      ? undefined
      : {
          otdCents: row.otdCents,
          sellingPriceCents: row.sellingPriceCents,
          writtenAt: row.writtenAt,
        };
  return priceCheck({
    ...owner,
    id: row.id,
    listing: Object.fromEntries(
      Object.entries({ make: 'Honda', ...listing }).filter(([, value]) => value !== null),
    ),
    distanceMiles: row.distanceMiles ?? undefined,
    answer: answer ?? undefined,
    price,
    ended: endingBeside(price, answer, row.ended) ?? undefined,
    unlockedAt: row.isSeen && !row.isChosen ? unlockedAt : undefined,
    chosenAt: row.isChosen ? unlockedAt : undefined,
    archivedAt: row.isArchived ? unlockedAt : undefined,
    finishedAt: hasFinished ? unlockedAt : undefined,
  });
}

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** The list computes its figures in SQL, the result in the domain: over many worlds they must agree. */
describe('the list and the result', () => {
  it(`agree on every deal set of 100 generated worlds (PROPERTY_SEED=${PROPERTY_SEED})`, async () => {
    const anna = buyer();
    const { record, cookie } = signIn(anna.id);
    const worlds = fc.sample(worldOf, { numRuns: 100, seed: PROPERTY_SEED });
    const dealers = ['Redwood Honda', 'Bay Subaru'].map((name) => dealership({ name }));
    const records: object[] = [anna, record, grant({ buyerId: anna.id }), ...dealers];
    for (const { facts, hasEnded, finished } of worlds) {
      const set = dealSet({
        buyerId: anna.id,
        id: facts.id,
        buyerZip: facts.buyerZip,
        radiusMiles: facts.radiusMiles,
        dealersFound: facts.dealersFound,
        endedAt: hasEnded ? unlockedAt : undefined,
      });
      records.push(set);
      facts.priceChecks.forEach((row, index) =>
        records.push(
          memberRecord(row, finished.has(row.id), {
            buyerId: anna.id,
            dealSetId: set.id,
            dealershipId: dealers[index % 2]!.id,
          }),
        ),
      );
      // Also on rows where they must not count.
      facts.priceChecks
        .slice(0, 4)
        .forEach((row) =>
          records.push(question({ priceCheckId: row.id }), draft({ priceCheckId: row.id })),
        );
    }
    await load(service.database, records);
    // Stored rows may end in a way that the import refuses by now: they are counted as they are.
    const stored = worlds.flatMap(({ facts }) => facts.priceChecks);
    await service.database.query(
      `UPDATE price_check p SET ended = s.ended FROM unnest($1::uuid[], $2::text[]) AS s (id, ended)
       WHERE p.id = s.id AND p.ended IS DISTINCT FROM s.ended`,
      [stored.map(({ id }) => id), stored.map(({ ended }) => ended)],
    );

    const entries = new Map<string, DealSetEntry>();
    for (let since = '1970-01-01T00:00:00Z', more = 'true'; more === 'true';) {
      const { body, headers } = await service.get<{ data: DealSetEntry[] }>(
        `/api/v1/deal-sets?since=${since}`,
        { cookie },
      );
      body.data.forEach((entry) => entries.set(entry.dealSetId, entry));
      since = String(headers['service-as-of']);
      more = String(headers['service-more']);
    }
    expect(entries.size).toBe(worlds.length);

    for (const { facts, hasEnded, finished } of worlds) {
      const { body } = await service.get<{ data: DealSetResult }>(`/api/v1/deal-sets/${facts.id}`, {
        cookie,
      });
      const entry = entries.get(facts.id)!;
      const { needsYou, total, ...summary } = body.data.counts;
      expect(entry.summary).toEqual(summaryOf(partition(facts.priceChecks)));
      expect(entry.summary).toEqual(summary);
      expect([entry.needsYou, entry.dealerCount]).toEqual([needsYou, total]);
      if (hasEnded) expect(needsYou).toBe(0);
      const hasFinished = facts.priceChecks.some(
        (row) =>
          finished.has(row.id) &&
          !row.isArchived &&
          row.ended === null &&
          row.answer !== 'different_car',
      );
      expect(entry.section).toBe(dealSetSection({ hasEnded, hasFinished, summary: entry.summary }));
      const [group] = rank(facts.priceChecks);
      expect(body.data.hero?.rowKey).toBe(group?.rows[0].id);
      expect(entry.lowestWrittenOtdCents).toBe(lowestWrittenOtdCents(facts.priceChecks));
      const rows = [...body.data.ranked.flatMap((ranked) => ranked.rows)].concat(
        Object.values(body.data.everyoneElse).flat(),
      );
      expect(entry.lowestWrittenOtdCents === null).toBe(
        rows.every(({ writtenAt }) => writtenAt === null),
      );
      if (body.data.hero) expect(entry.lowestWrittenOtdCents).toBe(body.data.hero.otdCents);
      expect(entry.buyerZip).toBe(body.data.search.buyerZip);
      expect(entry.lowestWrittenDistanceMiles).toBe(body.data.hero?.distanceMiles ?? null);
      expect(entry.memberIds).toEqual(facts.priceChecks.map((row) => row.id).sort());
      expect(entry.chosenLabels).toHaveLength(
        facts.priceChecks.filter((row) => row.isChosen).length,
      );
      expect(body.data.ranked.map((ranked) => ranked.rows.map((row) => row.rowKey))).toEqual(
        rank(facts.priceChecks).map((ranked) => ranked.rows.map((row) => row.id)),
      );
    }
  });
});
