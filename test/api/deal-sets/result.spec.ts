import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { Row } from '../../../src/deal-sets/dto/row.js';
import { dealSet, draft, load, priceCheck, question, written } from '../../builders/index.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { CAR_FOR_ASSISTANTS, everyStateWorld } from './every-state-world.js';

const world = everyStateWorld();
const { rows, items } = world;
let service: TestService;
let assistant: Credential;
let asBuyer: DealSetResult;
let asAssistant: DealSetResult;

const read = async (who: Credential): Promise<DealSetResult> => {
  const answer = await service.get<{ data: DealSetResult }>(
    `/api/v1/deal-sets/${world.set.id}`,
    who,
  );
  expect(answer.status).toBe(200);
  return answer.body.data;
};
const allRows = (result: DealSetResult): Row[] => [
  ...result.ranked.flatMap((group) => group.rows),
  ...(Object.values(result.everyoneElse) as Row[][]).flat(),
];
const rowOf = (name: keyof typeof rows, result = asBuyer): Row => {
  const row = allRows(result).find((candidate) => candidate.rowKey === rows[name].id);
  if (!row) throw new Error(`${name} is not in the result`);
  return row;
};
const inOrder = (list: readonly Row[]): string[] => list.map((row) => row.rowKey);
const keysOf = (list: readonly Row[]): string[] => list.map((row) => row.rowKey).sort();
const idsOf = (...names: (keyof typeof rows)[]): string[] =>
  names.map((name) => rows[name].id).sort();

beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, world.records);
  assistant = await service.tokenFor(world.anna.id);
  asBuyer = await read(world.session);
  asAssistant = await read(assistant);
});
afterAll(() => service.stop());

describe('the result', () => {
  it('has the car, the search and the counts as the buyer posted them and the rows are', () => {
    expect(asBuyer.car).toEqual(world.set.car);
    expect(asBuyer.search).toEqual({ buyerZip: '94536', radiusMiles: 250 });
    expect(asBuyer.counts).toEqual({
      written: 6,
      waiting: 2,
      differentCar: 1,
      ended: 4,
      endedWithPrice: 2,
      closedWithPrice: 1,
      needsYou: 4,
      total: 17,
    });
    expect(asBuyer.headerLine).toEqual(expect.any(String));
  });

  it('puts each row in the one place of its state', () => {
    const { everyoneElse, ranked } = asBuyer;
    expect(keysOf(everyoneElse.waiting)).toEqual(idsOf('waiting', 'notInWriting'));
    expect(keysOf(everyoneElse.differentCar)).toEqual(idsOf('differentCar'));
    expect(keysOf(everyoneElse.ended)).toEqual(
      idsOf('sold', 'closedWithPrice', 'noPrice', 'timedOut'),
    );
    expect(keysOf(everyoneElse.archived)).toEqual(idsOf('archived'));
    expect(ranked.map((group) => [group.trim, group.rows.map((row) => row.rowKey)])).toEqual([
      ['EX', [rows.lowest.id, rows.second.id, rows.chosen.id]],
      ['LX', [rows.chosenAtOnce.id]],
      [null, [rows.noTrim.id, rows.unknownListing.id]],
    ]);
  });

  it('gives states and endings', () => {
    const states = (Object.keys(rows) as (keyof typeof rows)[]).map((name) => [
      name,
      rowOf(name).state,
      rowOf(name).ended,
    ]);
    expect(states).toEqual([
      ['lowest', 'written', null],
      ['second', 'written', null],
      ['chosen', 'written', null],
      ['chosenAtOnce', 'written', null],
      ['noTrim', 'written', null],
      ['waiting', 'waiting', null],
      ['notInWriting', 'waiting', null],
      ['differentCar', 'different_car', null],
      ['sold', 'ended', 'sold'],
      ['closedWithPrice', 'ended', 'closed_with_price'],
      ['noPrice', 'ended', 'no_price'],
      ['timedOut', 'ended', 'timed_out'],
      ['archived', 'written', null],
      ['unknownListing', 'written', null],
    ]);
  });

  it('shows prices in writing in any state, and no other', () => {
    expect([
      rowOf('lowest').otdCents,
      rowOf('lowest').sellingPriceCents,
      rowOf('lowest').writtenAt,
    ]).toEqual([3_000_000, 2_700_000, '2026-01-03T00:00:00.000Z']);
    expect([
      rowOf('differentCar').otdCents,
      rowOf('sold').otdCents,
      rowOf('archived').otdCents,
    ]).toEqual([2_000_000, 2_100_000, 1_500_000]);
    for (const name of ['notInWriting', 'timedOut', 'waiting', 'noPrice'] as const) {
      expect([rowOf(name).otdCents, rowOf(name).sellingPriceCents, rowOf(name).writtenAt]).toEqual([
        null,
        null,
        null,
      ]);
    }
  });

  it('has the list price apart from any offer', () => {
    expect(rowOf('waiting').listedAtCents).toBe(3_099_900);
    expect(rowOf('unknownListing').listedAtCents).toBeNull();
  });

  it('measures gaps to the lowest of the row’s own group', () => {
    expect(
      [
        rowOf('lowest'),
        rowOf('second'),
        rowOf('chosen'),
        rowOf('chosenAtOnce'),
        rowOf('noTrim'),
        rowOf('unknownListing'),
      ].map((row) => row.gapToLowestCents),
    ).toEqual([0, 10_000, 20_000, 0, 0, 100_000]);
    for (const name of ['waiting', 'differentCar', 'sold', 'archived'] as const) {
      expect(rowOf(name).gapToLowestCents).toBeNull();
    }
  });

  it('lets the buyer unlock what is hidden and choose what is unlocked, while it is ranked', () => {
    const flags = (Object.keys(rows) as (keyof typeof rows)[]).map((name) => {
      const { hidden, chosen, archived, canUnlock, canChoose } = rowOf(name);
      return [name, { hidden, chosen, archived, canUnlock, canChoose }];
    });
    const none = { chosen: false, archived: false, canUnlock: false, canChoose: false };
    const hidden = { ...none, hidden: true };
    const seen = { ...none, hidden: false };
    const unlockable = { ...hidden, canUnlock: true };
    expect(Object.fromEntries(flags)).toEqual({
      lowest: unlockable,
      second: { ...seen, canChoose: true },
      chosen: { ...seen, chosen: true },
      chosenAtOnce: { ...seen, chosen: true },
      noTrim: unlockable,
      waiting: hidden,
      notInWriting: hidden,
      differentCar: hidden,
      sold: hidden,
      closedWithPrice: hidden,
      noPrice: hidden,
      timedOut: hidden,
      archived: { ...seen, chosen: true, archived: true },
      unknownListing: unlockable,
    });
  });

  it('makes the first row of the first group the hero', () => {
    const lowest = rowOf('lowest');
    expect(asBuyer.hero).toEqual({
      rowKey: lowest.rowKey,
      label: lowest.label,
      otdCents: 3_000_000,
      sellingPriceCents: 2_700_000,
      taxesAndFeesCents: 300_000,
      listedAtCents: 3_099_900,
      writtenAt: '2026-01-03T00:00:00.000Z',
      distanceMiles: 25,
      distanceBand: '25 to 50 miles',
      trim: 'EX',
      gapToNextCents: 10_000,
      canChoose: false,
      canUnlock: true,
      chosen: false,
    });
  });

  it('shows the buyer the band of a hidden dealership and the miles of a seen one', () => {
    expect([rowOf('lowest').distanceMiles, rowOf('lowest').distanceBand]).toEqual([
      25,
      '25 to 50 miles',
    ]);
    expect([rowOf('second').distanceMiles, rowOf('second').distanceBand]).toEqual([
      12.375,
      '10 to 25 miles',
    ]);
    expect([rowOf('chosenAtOnce').distanceMiles, rowOf('archived').distanceMiles]).toEqual([
      12.375, 12.375,
    ]);
    expect([rowOf('unknownListing').distanceMiles, rowOf('unknownListing').distanceBand]).toEqual([
      null,
      null,
    ]);
  });

  it('labels by the car while hidden, by the name once seen, for the buyer', () => {
    expect(rowOf('lowest').label).toBe('Blue 2026 Civic EX, about 12,300 miles, listed at $30,999');
    expect(rowOf('noTrim').label).toBe('Blue 2026 Civic, about 12,300 miles, listed at $30,999');
    expect(rowOf('unknownListing').label).toBe('2026 Civic');
    expect([rowOf('second').label, rowOf('chosen').label, rowOf('chosenAtOnce').label]).toEqual([
      'Bay Honda',
      'Oakland Honda',
      'Delta Motors',
    ]);
  });

  it('carries no name, contact, listing URL, VIN or image on a hidden row, for the buyer too', () => {
    const hidden = JSON.stringify(allRows(asBuyer).filter((row) => row.hidden));
    for (const secret of [...world.names, 'dealer0', 'dealer1', '555-01', 'VIN', 'http', 'image']) {
      expect(hidden).not.toContain(secret);
    }
  });

  it('links a row only once it is seen, by ids alone', () => {
    expect(rowOf('lowest').priceCheckHref).toBeNull();
    expect(rowOf('second').priceCheckHref).toBe(
      `/deal-sets/${world.set.id}/price-checks/${rows.second.id}`,
    );
  });

  it('marks a Verified partner only when that is known', () => {
    expect(
      ['lowest', 'second', 'chosen'].map((name) => rowOf(name as 'lowest').isVerifiedPartner),
    ).toEqual([true, false, false]);
  });

  it('has every open question and draft on live rows, and no other', () => {
    expect(asBuyer.needsYou.map((item) => [item.kind, item.rowKey]).sort()).toEqual(
      [
        ['question', rows.lowest.id],
        ['question', rows.second.id],
        ['draft', rows.chosen.id],
        ['draft', rows.chosen.id],
      ].sort(),
    );
    const question = asBuyer.needsYou.find((item) => item.rowKey === rows.lowest.id);
    expect(question).toEqual({
      kind: 'question',
      rowKey: rows.lowest.id,
      label: rowOf('lowest').label,
      promptId: 'prompt:1',
      category: 'trade_in',
      heading: 'A question about a trade-in: 2026 Civic EX',
      question: 'Secret words of a question',
      answerMode: 'yes_no',
      otdCents: 3_000_000,
    });
    const drafts = asBuyer.needsYou.filter((item) => item.kind === 'draft');
    expect(drafts.find((item) => item.requestId === items.draft.id)).toMatchObject({
      preview: 'Secret words of a draft',
      previewComplete: true,
    });
    const long = drafts.find((item) => item.requestId === items.longDraft.id);
    expect(long?.previewComplete).toBe(false);
    expect(long?.preview).toBe(items.longDraft.body.slice(0, 280));
  });
});

describe('the result for an assistant', () => {
  it('differs from the buyer’s in nothing but what is withheld or described', () => {
    const labels = new Map(allRows(asAssistant).map((row) => [row.rowKey, row.label]));
    const expected = {
      ...asBuyer,
      car: CAR_FOR_ASSISTANTS,
      search: { buyerZip: null, radiusMiles: null },
      counts: { ...asBuyer.counts, total: null },
      headerLine: null,
      hero: {
        ...asBuyer.hero,
        label: labels.get(rows.lowest.id),
        distanceMiles: null,
        distanceBand: null,
      },
      ranked: asBuyer.ranked.map((group) => ({ ...group, rows: group.rows.map(forAssistant) })),
      everyoneElse: Object.fromEntries(
        (Object.entries(asBuyer.everyoneElse) as [string, Row[]][]).map(([place, list]) => [
          place,
          list.map(forAssistant),
        ]),
      ),
      needsYou: asBuyer.needsYou.map((item) => ({
        ...item,
        label: labels.get(item.rowKey),
        ...(item.kind === 'question'
          ? { question: null, heading: expect.stringContaining(labels.get(item.rowKey)!) as string }
          : { preview: null, previewComplete: false }),
      })),
    };
    expect(asAssistant).toEqual(expected);

    function forAssistant(row: Row): object {
      return { ...row, label: labels.get(row.rowKey), distanceMiles: null, distanceBand: null };
    }
  });

  it('leaves the partner flag out for a hosted assistant', async () => {
    const hosted = await read(await service.tokenFor(world.anna.id, { client_id: 'hosted-1' }));
    expect(allRows(hosted).some((row) => 'isVerifiedPartner' in row)).toBe(false);
    expect(allRows(hosted)).toEqual(
      allRows(asAssistant).map(({ isVerifiedPartner: _left, ...row }) => row),
    );
  });
});

/** A deal set of its own with so many rows, each with what its number gives. */
function ownSet(count: number, given: (n: number) => Partial<Parameters<typeof priceCheck>[0]>) {
  const set = dealSet({ buyerId: world.anna.id });
  const ids = { buyerId: world.anna.id, dealSetId: set.id, dealershipId: world.dealerships[0]!.id };
  const members = Array.from({ length: count }, (_none, n) => priceCheck({ ...ids, ...given(n) }));
  return { set, members, records: [set, ...members] };
}
const readSet = async (set: { readonly id: string }, who: Credential = world.session) =>
  (await service.get<{ data: DealSetResult }>(`/api/v1/deal-sets/${set.id}`, who)).body.data;

describe('the result of a deal set', () => {
  it('has the oldest item first, of any row and kind', async () => {
    const { set, members, records } = ownSet(3, () => written(3_000_000));
    const [first, second, third] = members.map(({ id }) => id) as [string, string, string];
    const at = (hour: number, micros = ''): string => `2026-01-04T0${hour}:00:00${micros}Z`;
    const asked = (priceCheckId: string, n: number, askedAt: string) =>
      question({ priceCheckId, promptId: `prompt-${n}`, askedAt });
    const drafts = [
      draft({ priceCheckId: third, createdAt: at(2) }),
      draft({ priceCheckId: first, createdAt: at(5) }),
    ] as const;
    await load(service.database, [
      ...records,
      asked(second, 4, at(4)),
      asked(first, 3, at(3, '.001')),
      asked(second, 1, at(1)),
      asked(third, 2, at(3)),
      ...drafts,
    ]);
    for (const who of [world.session, assistant]) {
      const { needsYou, counts } = await readSet(set, who);
      expect(
        needsYou.map((item) => (item.kind === 'question' ? item.promptId : item.requestId)),
      ).toEqual(['prompt-1', drafts[0].id, 'prompt-2', 'prompt-3', 'prompt-4', drafts[1].id]);
      expect(counts.needsYou).toBe(6);
    }
  });

  it('ranks rows of one price by the earlier writing, then by the row key', async () => {
    const days = ['05', '04', '03', '03'];
    const { set, members, records } = ownSet(4, (n) => ({
      id: `00000000-0000-4000-8000-00000000a00${n + 1}`,
      unlockedAt: '2026-01-09T00:00:00Z',
      distanceMiles: n + 1,
      ...written(3_000_000, `2026-01-${days[n]}T00:00:00Z`),
    }));
    await load(service.database, records);
    const { ranked, hero } = await readSet(set);
    const expected = [3, 4, 2, 1].map((n) => members[n - 1]!.id);
    expect(ranked.map((group) => inOrder(group.rows))).toEqual([expected]);
    expect(hero).toMatchObject({ rowKey: expected[0], distanceMiles: 3, gapToNextCents: 0 });
    const { body } = await service.get<{ data: { dealSetId?: string }[] }>(
      '/api/v1/deal-sets',
      world.session,
    );
    expect(body.data.find(({ dealSetId }) => dealSetId === set.id)).toMatchObject({
      lowestWrittenDistanceMiles: 3,
    });
  });

  it('previews a draft that is longer than what is read of it, and shows a question whole', async () => {
    const { set, members, records } = ownSet(1, () => ({}));
    const priceCheckId = members[0]!.id;
    const bodies = [
      `e${'\u0301'.repeat(99_999)}`,
      '👨‍👩‍👧‍👦'.repeat(9_000),
      'a'.repeat(100_000),
      '\u{1f697}'.repeat(280),
      `${'\u{1f697}'.repeat(280)}.`,
    ];
    const drafts = bodies.map((body) => draft({ priceCheckId, body }));
    const text = 'Why? \u{1f697}'.repeat(1_600).slice(0, 10_000);
    await load(service.database, [...records, ...drafts, question({ priceCheckId, text })]);
    const { needsYou } = await readSet(set);
    const previews = drafts.map(({ id }) => {
      const item = needsYou.find((each) => each.kind === 'draft' && each.requestId === id);
      return item?.kind === 'draft' ? [item.preview, item.previewComplete] : [];
    });
    expect(previews).toEqual([
      [bodies[0]!.slice(0, 2_000), false],
      ['👨‍👩‍👧‍👦'.repeat(181), false],
      [bodies[2]!.slice(0, 280), false],
      [bodies[3], true],
      [bodies[3], false],
    ]);
    expect(needsYou.find((item) => item.kind === 'question')).toMatchObject({ question: text });
  });

  it('has no hero without a ranked row, and is there without members', async () => {
    const { set, records } = ownSet(0, () => ({}));
    await load(service.database, records);
    expect(await readSet(set)).toMatchObject({
      hero: null,
      ranked: [],
      needsYou: [],
      counts: { written: 0, waiting: 0, total: null },
    });
  });
});
