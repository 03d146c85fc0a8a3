import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { DealSetEntry } from '../../../src/deal-sets/dto/list-entry.js';
import type { Row } from '../../../src/deal-sets/dto/row.js';
import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const writtenAt = '2026-01-03T00:00:00.000Z';
const unlockedAt = '2026-01-05T00:00:00Z';
const chosenAt = '2026-01-06T00:00:00Z';
const archivedAt = '2026-01-07T00:00:00Z';

const anna = buyer();
const { record: sessionRecord, cookie } = signIn(anna.id);
const session = { cookie };
const [fremont, bay, oakland, delta, marina] = [
  dealership({ name: 'Fremont Honda', verifiedPartner: true }),
  dealership({ name: 'Bay Honda', verifiedPartner: false }),
  dealership({ name: 'Oakland Honda' }),
  dealership({ name: 'Delta Motors' }),
  dealership({ name: 'Marina Autos' }),
] as const;
const set = dealSet({
  buyerId: anna.id,
  car: {
    year: 2026,
    make: 'Honda',
    model: 'Civic',
    trim: 'Wished Trim',
    exteriorColor: 'Wished Red',
    interiorColor: 'Wished Black',
    drivetrain: 'Wished FWD',
    powertrain: 'Wished Hybrid',
  },
  buyerZip: '94536',
  radiusMiles: 250,
  dealersFound: 17,
});

type PriceCheckValues = Partial<Parameters<typeof priceCheck>[0]>;
function member(
  dealer: { readonly id: string },
  trim: string | null,
  values: PriceCheckValues = {},
) {
  return priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: dealer.id,
    listing: {
      year: 2026,
      make: 'Honda',
      model: 'Civic',
      trim,
      exteriorColor: 'Blue',
      mileage: 12_349,
      listedAtCents: 3_099_900,
    },
    distanceMiles: 12.375,
    ...values,
  });
}

const carOf = (trim: string): string =>
  `Blue 2026 Civic${trim}, about 12,300 miles, listed at $30,999`;
/** The row of a dealership that has not replied and that the buyer has not seen. */
const WAITING: Omit<Row, 'rowKey' | 'statusLabel'> = {
  label: carOf(' EX'),
  hidden: true,
  chosen: false,
  archived: false,
  state: 'waiting',
  ended: null,
  otdCents: null,
  sellingPriceCents: null,
  listedAtCents: 3_099_900,
  writtenAt: null,
  gapToLowestCents: null,
  canChoose: false,
  canUnlock: false,
  quotedTrim: 'EX',
  distanceMiles: 10,
  distanceBand: '10 to 25 miles',
  priceCheckHref: null,
  isVerifiedPartner: false,
};
const seen = (label: string): Partial<Row> => ({
  label,
  hidden: false,
  distanceMiles: 12.375,
  priceCheckHref: expect.stringMatching(`^/deal-sets/${set.id}/price-checks/[0-9a-f-]+$`) as string,
});
const ranked = (otdCents: number, gapToLowestCents: number): Partial<Row> => ({
  state: 'written',
  otdCents,
  gapToLowestCents,
  writtenAt,
});

/**
 * A row in each possible state: the record, and what the buyer is shown of it besides `WAITING`.
 */
const ROWS = {
  lowest: [
    member(fremont, 'EX', {
      answer: 'same_car',
      price: { otdCents: 3_000_000, sellingPriceCents: 2_700_000, writtenAt },
      distanceMiles: 31.625,
    }),
    {
      ...ranked(3_000_000, 0),
      sellingPriceCents: 2_700_000,
      canUnlock: true,
      isVerifiedPartner: true,
      distanceMiles: 25,
      distanceBand: '25 to 50 miles',
    },
  ],
  unlocked: [
    member(bay, 'EX', { ...written(3_010_000), unlockedAt }),
    { ...ranked(3_010_000, 10_000), ...seen('Bay Honda'), canChoose: true },
  ],
  chosen: [
    member(oakland, 'EX', { ...written(3_020_000), unlockedAt, chosenAt }),
    { ...ranked(3_020_000, 20_000), ...seen('Oakland Honda'), chosen: true },
  ],
  'chosen at once': [
    member(delta, 'LX', { ...written(3_049_999), chosenAt }),
    { ...ranked(3_049_999, 0), ...seen('Delta Motors'), chosen: true, quotedTrim: 'LX' },
  ],
  'without a trim': [
    member(marina, null, written(3_500_000)),
    { ...ranked(3_500_000, 0), canUnlock: true, label: carOf(''), quotedTrim: null },
  ],
  'without a listing': [
    member(delta, null, { listing: {}, ...written(3_600_000), distanceMiles: null }),
    {
      ...ranked(3_600_000, 100_000),
      canUnlock: true,
      label: '2026 Civic',
      quotedTrim: null,
      listedAtCents: null,
      distanceMiles: null,
      distanceBand: null,
    },
  ],
  waiting: [member(fremont, 'EX'), { isVerifiedPartner: true }],
  'priced, but not in writing': [
    member(bay, 'EX', { answer: 'same_car', price: { otdCents: 1_000_000 } }),
    {},
  ],
  'a different car': [
    member(oakland, 'Sport', { ...written(2_000_000), answer: 'different_car' }),
    {
      state: 'different_car',
      otdCents: 2_000_000,
      writtenAt,
      label: carOf(' Sport'),
      quotedTrim: 'Sport',
    },
  ],
  sold: [
    member(delta, 'EX', { ...written(2_100_000), ended: 'sold' }),
    { state: 'ended', ended: 'sold', otdCents: 2_100_000, writtenAt, canUnlock: true },
  ],
  'sold after the buyer unlocked it': [
    member(bay, 'EX', { ...written(2_150_000), ended: 'sold', unlockedAt }),
    {
      ...seen('Bay Honda'),
      state: 'ended',
      ended: 'sold',
      otdCents: 2_150_000,
      writtenAt,
      canChoose: true,
    },
  ],
  'closed with a price': [
    member(marina, 'EX', { ...written(2_200_000), ended: 'closed_with_price' }),
    { state: 'ended', ended: 'closed_with_price', otdCents: 2_200_000, writtenAt, canUnlock: true },
  ],
  'closed with a price for a different car': [
    member(marina, 'EX', {
      ...written(2_300_000),
      answer: 'different_car',
      ended: 'closed_with_price',
    }),
    { state: 'ended', ended: 'closed_with_price', otdCents: 2_300_000, writtenAt },
  ],
  'ended without a price': [
    member(fremont, 'EX', { ended: 'no_price' }),
    { state: 'ended', ended: 'no_price', isVerifiedPartner: true },
  ],
  'timed out': [
    member(bay, 'EX', { ended: 'timed_out', price: { otdCents: 5 } }),
    { state: 'ended', ended: 'timed_out' },
  ],
  archived: [
    member(oakland, 'EX', { ...written(1_500_000), archivedAt, chosenAt }),
    {
      ...ranked(1_500_000, 0),
      ...seen('Oakland Honda'),
      gapToLowestCents: null,
      chosen: true,
      archived: true,
    },
  ],
} satisfies Record<string, [ReturnType<typeof member>, Partial<Row>]>;
type Name = keyof typeof ROWS;
const idOf = (name: Name): string => ROWS[name][0].id;

const items = {
  question: question({
    priceCheckId: idOf('lowest'),
    promptId: 'prompt:1',
    category: 'trade_in',
    text: 'Secret words of a question',
    textWhileHidden: 'Cleared words of a question',
    answerMode: 'yes_no',
    otdCents: 3_000_000,
  }),
  unknownCategory: question({ priceCheckId: idOf('unlocked'), category: 'made.up' }),
  answered: question({ priceCheckId: idOf('lowest'), answeredAt: unlockedAt }),
  onArchived: question({ priceCheckId: idOf('archived') }),
  onEnded: question({ priceCheckId: idOf('sold') }),
  draft: draft({ priceCheckId: idOf('chosen'), body: 'Secret words of a draft' }),
  resolved: draft({ priceCheckId: idOf('chosen'), resolvedAt: unlockedAt }),
};

let service: TestService;
let assistant: Credential;
let result: DealSetResult;
const read = async (id: string, credential: Credential = session): Promise<DealSetResult> =>
  (await service.get<{ data: DealSetResult }>(`${LIST}/${id}`, credential)).body.data;

beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, [
    ...[anna, sessionRecord, grant({ buyerId: anna.id }), set],
    ...[fremont, bay, oakland, delta, marina],
    ...Object.values(ROWS).map(([row]) => row),
    ...Object.values(items),
  ]);
  assistant = await service.tokenFor(anna.id);
  result = await read(set.id);
});
afterAll(() => service.stop());

describe('the result', () => {
  it('has the car, the search and the counts that the buyer’s records contain', () => {
    expect(result).toMatchObject({
      car: set.car,
      search: { buyerZip: '94536', radiusMiles: 250 },
      counts: {
        written: 6,
        waiting: 2,
        differentCar: 1,
        ended: 6,
        endedWithPrice: 3,
        closedWithPrice: 1,
        needsYou: 3,
        total: 17,
      },
      headerLine: expect.any(String) as string,
    });
  });

  it('puts each row in the one place of its state', () => {
    const keysOf = (rows: readonly Row[]): string[] => rows.map(({ rowKey }) => rowKey).sort();
    const idsOf = (...names: Name[]): string[] => names.map(idOf).sort();
    const { waiting, differentCar, ended, archived } = result.everyoneElse;
    expect(keysOf(waiting)).toEqual(idsOf('waiting', 'priced, but not in writing'));
    expect(keysOf(differentCar)).toEqual(idsOf('a different car'));
    expect(keysOf(ended)).toEqual(
      idsOf(
        'sold',
        'sold after the buyer unlocked it',
        'closed with a price',
        'closed with a price for a different car',
        'ended without a price',
        'timed out',
      ),
    );
    expect(keysOf(archived)).toEqual(idsOf('archived'));
    expect(result.ranked.map(({ trim, rows }) => [trim, rows.map((row) => row.rowKey)])).toEqual([
      ['EX', [idOf('lowest'), idOf('unlocked'), idOf('chosen')]],
      ['LX', [idOf('chosen at once')]],
      [null, [idOf('without a trim'), idOf('without a listing')]],
    ]);
  });

  it.each(Object.entries(ROWS))('shows the buyer a row that is %s', (_name, [{ id }, shown]) => {
    const rows = [
      ...result.ranked.flatMap((group) => group.rows),
      ...(Object.values(result.everyoneElse) as Row[][]).flat(),
    ];
    expect(rows.filter(({ rowKey }) => rowKey === id)).toEqual([
      { ...WAITING, ...shown, rowKey: id, statusLabel: expect.any(String) as string },
    ]);
  });

  it('lets rows of a deal set that has ended be unlocked and chosen', async () => {
    const over = dealSet({ buyerId: anna.id, endedAt: unlockedAt });
    const hidden = member(fremont, 'EX', { dealSetId: over.id, ...written(1) });
    const open = member(bay, 'EX', {
      dealSetId: over.id,
      ...written(2),
      unlockedAt,
      ended: 'sold',
    });
    await load(service.database, [over, hidden, open]);
    const { hero, ranked, everyoneElse } = await read(over.id);
    expect([hero, ranked[0]!.rows[0]]).toMatchObject([{ canUnlock: true }, { canUnlock: true }]);
    expect(everyoneElse.ended).toMatchObject([{ canChoose: true, canUnlock: false }]);
  });

  it('makes the first row of the first group the hero', () => {
    expect(result.hero).toEqual({
      rowKey: idOf('lowest'),
      label: carOf(' EX'),
      otdCents: 3_000_000,
      sellingPriceCents: 2_700_000,
      taxesAndFeesCents: 300_000,
      listedAtCents: 3_099_900,
      writtenAt,
      distanceMiles: 25,
      distanceBand: '25 to 50 miles',
      trim: 'EX',
      gapToNextCents: 10_000,
      canChoose: false,
      canUnlock: true,
      chosen: false,
    });
  });

  it('has every open question and draft on live rows, and no other', () => {
    const { needsYou } = result;
    expect(needsYou).toHaveLength(3);
    expect(needsYou).toEqual(
      expect.arrayContaining([
        {
          kind: 'question',
          rowKey: idOf('lowest'),
          label: carOf(' EX'),
          promptId: 'prompt:1',
          category: 'trade_in',
          heading: `A question about a trade-in: ${carOf(' EX')}`,
          question: 'Cleared words of a question',
          answerMode: 'yes_no',
          otdCents: 3_000_000,
        },
        expect.objectContaining({ kind: 'question', rowKey: idOf('unlocked') }),
        {
          kind: 'draft',
          rowKey: idOf('chosen'),
          label: 'Oakland Honda',
          requestId: items.draft.id,
          preview: 'Secret words of a draft',
          previewComplete: true,
        },
      ]),
    );
  });

  it('has the oldest item first, across rows and kinds', async () => {
    const other = dealSet({ buyerId: anna.id });
    const rows = [1, 2, 3].map(() => member(bay, 'EX', { dealSetId: other.id }));
    const [first, second, third] = rows.map(({ id }) => id) as [string, string, string];
    const at = (time: string): string => `2026-01-04T${time}Z`;
    const inOrder = [
      question({ priceCheckId: second, promptId: 'prompt-1', askedAt: at('01:00:00') }),
      draft({ priceCheckId: third, createdAt: at('02:00:00') }),
      question({ priceCheckId: third, promptId: 'prompt-2', askedAt: at('03:00:00') }),
      question({ priceCheckId: first, promptId: 'prompt-3', askedAt: at('03:00:00.001') }),
      question({ priceCheckId: second, promptId: 'prompt-4', askedAt: at('04:00:00') }),
      draft({ priceCheckId: first, createdAt: at('05:00:00') }),
    ];
    await load(service.database, [other, ...rows, ...inOrder.toReversed()]);
    for (const credential of [session, assistant]) {
      const { needsYou, counts } = await read(other.id, credential);
      expect(
        needsYou.map((item) => (item.kind === 'question' ? item.promptId : item.requestId)),
      ).toEqual(inOrder.map((item) => (item.record === 'question' ? item.promptId : item.id)));
      expect(counts.needsYou).toBe(6);
    }
  });

  it('previews a draft that is longer than the part that is read, and shows a question whole', async () => {
    const other = dealSet({ buyerId: anna.id });
    const row = member(bay, 'EX', { dealSetId: other.id, unlockedAt });
    const [car, family] = ['\u{1f697}', '👨‍👩‍👧‍👦'];
    const accents = `e${'\u0301'.repeat(99_999)}`;
    const previews = new Map<string, [preview: string, isComplete: boolean]>([
      [accents, [accents.slice(0, 2_000), false]],
      [family.repeat(9_000), [family.repeat(181), false]],
      ['a'.repeat(100_000), ['a'.repeat(280), false]],
      [car.repeat(280), [car.repeat(280), true]],
      [`${car.repeat(280)}.`, [car.repeat(280), false]],
    ]);
    const drafts = [...previews.keys()].map((body) => draft({ priceCheckId: row.id, body }));
    const text = `Why? ${car}`.repeat(1_600).slice(0, 10_000);
    await load(service.database, [other, row, ...drafts, question({ priceCheckId: row.id, text })]);
    const { needsYou } = await read(other.id);
    for (const { id, body } of drafts) {
      const [preview, previewComplete] = previews.get(body)!;
      expect(needsYou).toContainEqual(
        expect.objectContaining({ requestId: id, preview, previewComplete }),
      );
    }
    expect(needsYou).toContainEqual(expect.objectContaining({ question: text }));
  });
});

describe('the entry of a deal set', () => {
  const entryFor = async (credential: Credential): Promise<DealSetEntry | undefined> => {
    const { data } = (await service.get<{ data: DealSetEntry[] }>(LIST, credential)).body;
    return data.find(({ dealSetId }) => dealSetId === set.id);
  };

  it('has every field, and names the chosen dealerships, including archived ones', async () => {
    const entry = await entryFor(session);
    const { needsYou, total, ...summary } = result.counts;
    expect(entry).toEqual({
      kind: 'deal_set',
      dealSetId: set.id,
      href: `/deal-sets/${set.id}`,
      car: set.car,
      section: 'in_progress',
      lowestWrittenOtdCents: 3_000_000,
      needsYou,
      latestActivityAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      buyerZip: '94536',
      dealerCount: total,
      summary,
      lowestWrittenDistanceMiles: 25,
      chosenLabels: expect.any(Array) as string[],
      memberIds: Object.values(ROWS)
        .map(([row]) => row.id)
        .sort(),
    });
    expect([...entry!.chosenLabels].sort()).toEqual([
      'Delta Motors',
      'Oakland Honda',
      'Oakland Honda',
    ]);
  });

  it('describes the chosen rows by their cars to an assistant', async () => {
    expect([...(await entryFor(assistant))!.chosenLabels].sort()).toEqual([
      carOf(' EX'),
      carOf(' EX'),
      carOf(' LX'),
    ]);
  });
});
