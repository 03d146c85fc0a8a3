import type { DealSetResult } from '../../src/deal-sets/dto/deal-set-result.js';
import type { DealSetEntry, ListEntry } from '../../src/deal-sets/dto/list-entry.js';
import type { Row } from '../../src/deal-sets/dto/row.js';
import {
  dealership,
  dealSet,
  draft,
  grant,
  priceCheck,
  question,
  reply,
  written,
} from '../builders/index.js';
import { LIST } from '../setup/http-call.js';
import { BEGINNING, ContractService, idOf, PRINCIPALS } from './contract-service.js';
import type { Reader } from '../setup/world.js';
import * as every from './every-row.js';

const TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const TEXT: unknown = expect.any(String);

const contract = ContractService.forFile();
let anna: Reader;
beforeAll(async () => {
  anna = await contract.newReader(every.anna);
  await contract.insert(...every.records);
});

async function read(id: string, principal: (typeof PRINCIPALS)[number]): Promise<DealSetResult> {
  const path = `${LIST}/${id}`;
  return (await contract.service.get<{ data: DealSetResult }>(path, anna[principal])).body.data;
}

describe('2 integers', () => {
  const LARGEST = 9_007_199_254_740_991;

  it('2 are described as values within -9007199254740991 to 9007199254740991', async () => {
    const { text } = await contract.service.call('/api/v1/openapi.json');
    const { schemas } = (JSON.parse(text) as { components: { schemas: object } }).components;
    const integers: unknown[] = [];
    JSON.stringify(schemas, (_key, value: { type?: string | string[] } | null) => {
      if ([value?.type].flat().includes('integer')) integers.push(value);
      return value;
    });
    expect(integers.length).toBeGreaterThan(10);
    for (const schema of integers) {
      const { minimum, maximum } = schema as { minimum: number; maximum: number };
      expect([-LARGEST, 0, 1]).toContain(minimum);
      expect(maximum).toBe(LARGEST);
    }
  });

  it.each(PRINCIPALS)('2 keep each digit of the largest value, for the %s', async (principal) => {
    const other = dealSet({ buyerId: anna.id });
    await contract.insert(
      other,
      every.member(every.bay, 'EX', { dealSetId: other.id, ...written(0) }),
      every.member(every.bay, 'EX', { dealSetId: other.id, ...written(LARGEST) }),
    );
    const { ranked } = await read(other.id, principal);
    const prices = ranked.flatMap(({ rows }) =>
      rows.map(({ otdCents, gapToLowestCents }) => [otdCents, gapToLowestCents]),
    );
    expect(prices).toEqual([
      [0, 0],
      [LARGEST, LARGEST],
    ]);
  });
});

/** What an assistant gets of values that depend on who reads (section 2, last columns). */
const WITHHELD = { distanceMiles: null, distanceBand: null };

describe.each(PRINCIPALS)('2.1 the entry of a deal set, for the %s', (principal) => {
  const isSession = principal === 'session';
  const entryOf = async (id: string): Promise<DealSetEntry | undefined> => {
    const { entries } = await contract.list(anna[principal]);
    return entries.find((entry) => idOf(entry) === id) as DealSetEntry | undefined;
  };

  it('2.1 has every field, withheld ones as null', async () => {
    const { year, make, model } = every.set.car;
    const configuration = ['trim', 'exteriorColor', 'interiorColor', 'drivetrain', 'powertrain'];
    const unknown = Object.fromEntries(configuration.map((name) => [name, null]));
    expect(await entryOf(every.set.id)).toEqual({
      kind: 'deal_set',
      dealSetId: every.set.id,
      href: `/deal-sets/${every.set.id}`,
      car: isSession ? every.set.car : { year, make, model, ...unknown },
      section: 'in_progress',
      lowestWrittenOtdCents: 3_000_000,
      needsYou: 3,
      latestActivityAt: TIME,
      buyerZip: isSession ? '94536' : null,
      dealerCount: isSession ? 17 : null,
      summary: {
        written: 6,
        waiting: 2,
        differentCar: 1,
        ended: 6,
        endedWithPrice: 3,
        closedWithPrice: 1,
      },
      lowestWrittenDistanceMiles: isSession ? 25 : null,
      chosenLabels: expect.any(Array) as string[],
      memberIds: Object.values(every.ROWS)
        .map(([row]) => row.id)
        .sort(),
    });
  });

  it('2.1 names the chosen dealerships in chosenLabels, or describes their cars, archived ones too', async () => {
    const chosen = Object.values(every.ROWS).filter(([, shown]) => 'chosen' in shown);
    const labels = chosen.map(([row, shown]) =>
      isSession ? (shown as Partial<Row>).label! : every.carLabel(row),
    );
    expect(labels).toHaveLength(3);
    expect([...(await entryOf(every.set.id))!.chosenLabels].sort()).toEqual(labels.sort());
  });

  it('2.1 labels a chosen row as the deal set does, also when its listing is unknown', async () => {
    const other = dealSet({ buyerId: anna.id });
    const chosen = { dealSetId: other.id, listing: {}, chosenAt: every.unlockedAt };
    await contract.insert(
      other,
      every.member(every.bay, null, { ...chosen, answer: 'different_car' }),
      every.member(every.bay, null, chosen),
    );
    const { differentCar, waiting } = (await read(other.id, principal)).everyoneElse;
    const labels = [...differentCar, ...waiting].map(({ label }) => label);
    const { year, model } = other.car;
    expect(labels).toEqual(isSession ? ['Bay Honda', 'Bay Honda'] : ['Car', `${year} ${model}`]);
    expect([...(await entryOf(other.id))!.chosenLabels].sort()).toEqual(labels.sort());
  });
});

describe('2.1 the entry of a request to one dealership', () => {
  const fremont = dealership({ name: 'Fremont Honda' });
  let reader: Reader;
  const entries: Partial<Record<(typeof PRINCIPALS)[number], readonly ListEntry[]>> = {};
  const single = (values: Partial<Parameters<typeof priceCheck>[0]> = {}) =>
    priceCheck({
      buyerId: '',
      dealershipId: fremont.id,
      listing: { year: 2024, make: 'Honda', model: 'Fit', trim: 'Sport', exteriorColor: 'Red' },
      ...values,
    });
  const at = '2026-01-04T00:00:00Z';
  /** Section, written price, label for the buyer, and whether a question is open. */
  const SINGLES: Record<
    string,
    [ReturnType<typeof single>, string, number | null, string | null, 0 | 1]
  > = {
    finished: [single({ ...written(5), finishedAt: at }), 'ready', 5, null, 0],
    'in progress': [single(written(6)), 'in_progress', 6, null, 0],
    'priced, but not in writing': [
      single({ price: { otdCents: 7 }, finishedAt: at }),
      'ready',
      null,
      null,
      0,
    ],
    unlocked: [single({ unlockedAt: at }), 'in_progress', null, 'Fremont Honda', 0],
    'asked twice': [single(), 'in_progress', null, null, 1],
    'without a listing': [single({ listing: {} }), 'in_progress', null, null, 0],
    ended: [single({ ...written(8), ended: 'sold' }), 'inactive', 8, null, 0],
    archived: [single({ ...written(9), archivedAt: at }), 'inactive', 9, null, 0],
    'priced for a different car': [
      single({ ...written(10), answer: 'different_car', finishedAt: at }),
      'in_progress',
      null,
      null,
      0,
    ],
  };
  const idOfSingle = (name: string): string => SINGLES[name]![0].id;

  beforeAll(async () => {
    reader = await contract.newReader();
    await contract.insert(
      fremont,
      ...Object.values(SINGLES).map(([record]) => ({ ...record, buyerId: reader.id })),
      ...['asked twice', 'asked twice', 'ended'].map((name) =>
        question({ priceCheckId: idOfSingle(name) }),
      ),
      question({ priceCheckId: idOfSingle('unlocked'), answeredAt: at }),
    );
    for (const principal of PRINCIPALS)
      ({ entries: entries[principal] } = await contract.list(reader[principal], BEGINNING));
  });

  it.each(Object.entries(SINGLES))(
    '2.1 has every field when it is %s; an assistant gets year, model and trim as its label',
    (name, [{ id }, section, lowestWrittenOtdCents, label, needsYou]) => {
      const isKnown = name !== 'without a listing';
      const entry = {
        kind: 'single',
        id,
        car: isKnown
          ? { year: 2024, make: 'Honda', model: 'Fit', trim: 'Sport' }
          : { year: null, make: null, model: null, trim: null },
        section,
        lowestWrittenOtdCents,
        needsYou,
        latestActivityAt: TIME,
      };
      expect(entries.session).toContainEqual({ ...entry, dealerLabel: label });
      expect(entries.assistant).toContainEqual({
        ...entry,
        dealerLabel: isKnown ? '2024 Fit Sport' : null,
        changes: expect.any(Object) as object,
      });
    },
  );
});

describe('2.2 changes', () => {
  const shop = dealership();
  beforeAll(() => contract.insert(shop));
  let reader: Reader;
  const single = (values: Partial<Parameters<typeof priceCheck>[0]> = {}) =>
    priceCheck({ buyerId: reader.id, dealershipId: shop.id, ...values });
  beforeEach(async () => {
    reader = await contract.newReader();
  });

  async function changesSince(since: string): Promise<Record<string, ListEntry['changes']>> {
    const { entries } = await contract.list(reader.assistant, since);
    return Object.fromEntries(entries.map((entry) => [idOf(entry), entry.changes]));
  }
  const setPrice = (id: string) =>
    contract.service.database.query(
      `UPDATE deal_sets.price_check SET answer = 'same_car', otd_cents = 7, written_at = now()
       WHERE id = $1`,
      [id],
    );

  it('2.2 newReplies is `new` with the count and the time of what arrived after since, else `none`', async () => {
    const [heard, silent] = [single(), single()];
    const replies = [1, 2].map(() => reply({ priceCheckId: heard.id }));
    const before = new Date((await contract.databaseTime()) - 1).toISOString();
    await contract.insert(heard, silent, ...replies);
    const first = await changesSince(before);
    expect(first[silent.id]!.newReplies).toEqual({ status: 'none' });
    expect(first[heard.id]!.newReplies).toEqual({ status: 'new', count: 2, latestAt: TIME });
    const { latestAt } = first[heard.id]!.newReplies as { latestAt: string };
    expect(latestAt > before).toBe(true);
    await setPrice(heard.id);
    expect(await changesSince(latestAt)).toMatchObject({
      [heard.id]: { newReplies: { status: 'none' } },
    });
  });

  it('2.2 hasWrittenPrice and ended are states, also from before since', async () => {
    const records = {
      neither: single(),
      priced: single(written(900)),
      silent: single({ ended: 'no_price' }),
      sold: single({ ...written(800), ended: 'sold' }),
      over: dealSet({ buyerId: reader.id, endedAt: every.unlockedAt }),
    };
    await contract.insert(...Object.values(records));
    const changes = await changesSince(BEGINNING);
    const states = Object.entries(records).map(([name, { id }]) => {
      const { hasWrittenPrice, ended } = changes[id]!;
      return [name, hasWrittenPrice, ended];
    });
    expect(states).toEqual([
      ['neither', false, false],
      ['priced', true, false],
      ['silent', false, true],
      ['sold', true, true],
      ['over', false, true],
    ]);
  });

  it('2.2 newReplies is `could_not_check` alone when the replies could not be read; the entry stays', async () => {
    const record = single();
    await contract.insert(record, reply({ priceCheckId: record.id }));
    const rename = (from: string, to: string) =>
      contract.service.database.query(`ALTER TABLE deal_sets.reply RENAME ${from} TO ${to}`);
    await rename('feed_at', 'stamped_at');
    const changes = await changesSince(BEGINNING).finally(() => rename('stamped_at', 'feed_at'));
    expect(changes).toEqual({
      [record.id]: {
        hasWrittenPrice: false,
        newReplies: { status: 'could_not_check' },
        ended: false,
      },
    });
  });
});

describe.each(PRINCIPALS)('2.3 the result, for the %s', (principal) => {
  const isSession = principal === 'session';
  let result: DealSetResult;
  beforeAll(async () => {
    result = await read(every.set.id, principal);
  });

  it('2.3 has every field, withheld ones as null', () => {
    const { year, make, model } = every.set.car;
    const configuration = ['trim', 'exteriorColor', 'interiorColor', 'drivetrain', 'powertrain'];
    const unknown = Object.fromEntries(configuration.map((name) => [name, null]));
    expect(result).toEqual({
      dealSetId: every.set.id,
      car: isSession ? every.set.car : { year, make, model, ...unknown },
      search: isSession
        ? { buyerZip: '94536', radiusMiles: 250 }
        : { buyerZip: null, radiusMiles: null },
      counts: {
        written: 6,
        waiting: 2,
        differentCar: 1,
        ended: 6,
        endedWithPrice: 3,
        closedWithPrice: 1,
        needsYou: 3,
        total: isSession ? 17 : null,
      },
      headerLine: isSession ? TEXT : null,
      hero: expect.any(Object) as object,
      ranked: expect.any(Array) as [],
      needsYou: expect.any(Array) as [],
      everyoneElse: expect.any(Object) as object,
    });
  });

  it('2.3 ranks the rows by price within the trims of their listings, the lowest price first', () => {
    const ids = (...names: every.Name[]): string[] => names.map(every.idOf);
    expect(result.ranked.map(({ trim, rows }) => [trim, rows.map(({ rowKey }) => rowKey)])).toEqual(
      [
        ['EX', ids('lowest', 'unlocked', 'chosen')],
        ['LX', ids('chosen at once')],
        [null, ids('without a trim', 'without a listing')],
      ],
    );
  });

  it.each(Object.entries(every.ROWS))('2.4 has a row that is %s', (_name, [record, shown]) => {
    const rows = [
      ...result.ranked.flatMap((group) => group.rows),
      ...(Object.values(result.everyoneElse) as Row[][]).flat(),
    ];
    expect(rows.filter(({ rowKey }) => rowKey === record.id)).toEqual([
      {
        ...every.WAITING,
        ...shown,
        ...(!isSession && { ...WITHHELD, label: every.carLabel(record) }),
        rowKey: record.id,
        statusLabel: TEXT,
      },
    ]);
  });

  it('2.5 has the first row of the first group as the hero', () => {
    expect(result.hero).toEqual({
      rowKey: every.idOf('lowest'),
      label: every.carLabel(every.ROWS.lowest[0]),
      otdCents: 3_000_000,
      sellingPriceCents: 2_700_000,
      taxesAndFeesCents: 300_000,
      listedAtCents: 3_099_900,
      writtenAt: TIME,
      ...(isSession ? { distanceMiles: 25, distanceBand: '25 to 50 miles' } : WITHHELD),
      trim: 'EX',
      gapToNextCents: 10_000,
      canChoose: false,
      canUnlock: true,
      chosen: false,
    });
  });

  it('2.5 has no hero where nothing is ranked', async () => {
    const other = dealSet({ buyerId: anna.id });
    await contract.insert(other, every.member(every.bay, 'EX', { dealSetId: other.id }));
    expect(await read(other.id, principal)).toMatchObject({ hero: null, ranked: [] });
  });

  it('2.6 has every open question and draft on live rows, and no other; an assistant gets no words', () => {
    const { lowest, unlocked, chosen } = every.ROWS;
    expect(result.needsYou).toHaveLength(3);
    expect(result.needsYou).toEqual(
      expect.arrayContaining([
        {
          kind: 'question',
          rowKey: lowest[0].id,
          label: every.carLabel(lowest[0]),
          promptId: 'prompt:1',
          category: 'trade_in',
          heading: `A question about a trade-in: ${every.carLabel(lowest[0])}`,
          question: isSession ? 'Cleared words of a question' : null,
          answerMode: 'yes_no',
          otdCents: 3_000_000,
        },
        expect.objectContaining({ kind: 'question', rowKey: unlocked[0].id }),
        {
          kind: 'draft',
          rowKey: chosen[0].id,
          label: isSession ? 'Oakland Honda' : every.carLabel(chosen[0]),
          requestId: every.items.draft.id,
          preview: isSession ? 'Secret words of a draft' : null,
          previewComplete: isSession,
        },
      ]),
    );
  });

  it('2.6 has the oldest item first, across rows and kinds', async () => {
    const other = dealSet({ buyerId: anna.id });
    const rows = [1, 2, 3].map(() => every.member(every.bay, 'EX', { dealSetId: other.id }));
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
    await contract.insert(other, ...rows, ...inOrder.toReversed());
    const { needsYou, counts } = await read(other.id, principal);
    const ids = needsYou.map((item) => (item.kind === 'question' ? item.promptId : item.requestId));
    expect(ids).toEqual(
      inOrder.map((item) => (item.record === 'question' ? item.promptId : item.id)),
    );
    expect(counts.needsYou).toBe(6);
  });
});

describe('2.4 isVerifiedPartner', () => {
  it('2.4 is left out for a hosted assistant, and nothing else is', async () => {
    await contract.insert(grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true }));
    const hosted = await contract.service.tokenFor(anna.id, { client_id: 'hosted-1' });
    const path = `${LIST}/${every.set.id}`;
    const { body } = await contract.service.get<{ data: DealSetResult }>(path, hosted);
    const others = JSON.stringify(await read(every.set.id, 'assistant'), (key, value: unknown) =>
      key === 'isVerifiedPartner' ? undefined : value,
    );
    expect(JSON.stringify(body.data)).toBe(others);
  });
});

describe('2.6 the words of items, for the session', () => {
  it('2.6 previews the opening of a draft, complete only if it is whole, and shows a question whole', async () => {
    const other = dealSet({ buyerId: anna.id });
    const row = every.member(every.bay, 'EX', {
      dealSetId: other.id,
      unlockedAt: every.unlockedAt,
    });
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
    await contract.insert(other, row, ...drafts, question({ priceCheckId: row.id, text }));
    const { needsYou } = await read(other.id, 'session');
    for (const { id, body } of drafts) {
      const [preview, previewComplete] = previews.get(body)!;
      expect(needsYou).toContainEqual(
        expect.objectContaining({ requestId: id, preview, previewComplete }),
      );
    }
    expect(needsYou).toContainEqual(expect.objectContaining({ question: text }));
  });
});
