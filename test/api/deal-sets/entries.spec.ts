import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type {
  DealSetEntry,
  ListEntry,
  SingleEntry,
} from '../../../src/deal-sets/dto/list-entry.js';
import { dealSet, draft, load, priceCheck, question, written } from '../../builders/index.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { CAR_FOR_ASSISTANTS, everyStateWorld } from './every-state-world.js';

const world = everyStateWorld();
const [fremont] = world.dealerships;
const single = (
  given: Partial<Parameters<typeof priceCheck>[0]> = {},
): ReturnType<typeof priceCheck> =>
  priceCheck({
    buyerId: world.anna.id,
    dealershipId: fremont!.id,
    listing: {
      year: 2024,
      make: 'Honda',
      model: 'Fit',
      trim: 'Sport',
      exteriorColor: 'Red',
      mileage: 900,
      listedAtCents: 1_900_000,
    },
    ...given,
  });
const singles = {
  ready: single({ ...written(1_800_000), finishedAt: '2026-01-04T00:00:00Z' }),
  inProgress: single({ ...written(1_810_000) }),
  notInWriting: single({ price: { otdCents: 1_820_000 }, finishedAt: '2026-01-04T00:00:00Z' }),
  unlocked: single({ unlockedAt: '2026-01-04T00:00:00Z' }),
  asked: single(),
  unknown: single({ listing: {} }),
  ended: single({ ...written(1_830_000), ended: 'sold' }),
  archived: single({ ...written(1_840_000), archivedAt: '2026-01-04T00:00:00Z' }),
};
const sets = {
  ready: dealSet({ buyerId: world.anna.id }),
  ended: dealSet({ buyerId: world.anna.id, endedAt: '2026-01-09T00:00:00Z' }),
};
const memberOf = (
  set: { readonly id: string },
  given: Partial<Parameters<typeof priceCheck>[0]> = {},
): ReturnType<typeof priceCheck> =>
  priceCheck({
    buyerId: world.anna.id,
    dealSetId: set.id,
    dealershipId: fremont!.id,
    ...given,
  });
/** Every section of a deal set; each way to a section or a price is in `agreement.spec.ts`. */
const members = {
  ready: memberOf(sets.ready, {
    ...written(5_000_000),
    unlockedAt: '2026-01-04T00:00:00Z',
    distanceMiles: 77.25,
  }),
  ended: memberOf(sets.ended, { ...written(5_100_000), distanceMiles: 140.5 }),
};

let service: TestService;
let assistant: Credential;
let forBuyer: Map<string, ListEntry>;
let forAssistant: Map<string, ListEntry>;

const idOf = (entry: ListEntry): string => (entry.kind === 'deal_set' ? entry.dealSetId : entry.id);
const readAll = async (who: Credential): Promise<Map<string, ListEntry>> => {
  const found = new Map<string, ListEntry>();
  let since = '1970-01-01T00:00:00Z';
  for (;;) {
    const { body, headers } = await service.get<{ data: ListEntry[] }>(
      `/api/v1/deal-sets?since=${since}`,
      who,
    );
    body.data.forEach((entry) => found.set(idOf(entry), entry));
    since = String(headers['service-as-of']);
    if (headers['service-more'] === 'false') return found;
  }
};
const setEntry = (id: string, from = forBuyer): DealSetEntry => from.get(id) as DealSetEntry;
const singleEntry = (name: keyof typeof singles, from = forBuyer): SingleEntry =>
  from.get(singles[name].id) as SingleEntry;

beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, [
    ...world.records,
    ...Object.values(sets),
    ...Object.values(members),
    ...Object.values(singles),
    question({ priceCheckId: singles.asked.id }),
    question({ priceCheckId: singles.asked.id }),
    question({ priceCheckId: singles.ended.id }),
    question({ priceCheckId: members.ended.id }),
    draft({ priceCheckId: members.ended.id }),
    question({ priceCheckId: singles.unlocked.id, answeredAt: '2026-01-05T00:00:00Z' }),
  ]);
  assistant = await service.tokenFor(world.anna.id);
  forBuyer = await readAll(world.session);
  forAssistant = await readAll(assistant);
});
afterAll(() => service.stop());

describe('a deal-set entry', () => {
  it('has every field, and none of a single request', () => {
    expect(setEntry(world.set.id)).toEqual({
      kind: 'deal_set',
      dealSetId: world.set.id,
      href: `/deal-sets/${world.set.id}`,
      car: world.set.car,
      section: 'in_progress',
      lowestWrittenOtdCents: 3_000_000,
      needsYou: 4,
      latestActivityAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      buyerZip: '94536',
      dealerCount: 17,
      summary: {
        written: 6,
        waiting: 2,
        differentCar: 1,
        ended: 4,
        endedWithPrice: 2,
        closedWithPrice: 1,
      },
      lowestWrittenDistanceMiles: 25,
      chosenLabels: expect.any(Array) as string[],
      memberIds: Object.values(world.rows)
        .map((row) => row.id)
        .sort(),
    });
  });

  it('names the chosen dealerships to the buyer, archived ones too', () => {
    expect([...setEntry(world.set.id).chosenLabels].sort()).toEqual([
      'Delta Motors',
      'Oakland Honda',
      'Oakland Honda',
    ]);
  });

  it('is ready, in progress or inactive, each with or without a written price', () => {
    expect(
      [sets.ready.id, world.set.id, sets.ended.id].map((id) => [
        setEntry(id).section,
        setEntry(id).lowestWrittenOtdCents,
      ]),
    ).toEqual([
      ['ready', 5_000_000],
      ['in_progress', 3_000_000],
      ['inactive', 5_100_000],
    ]);
  });

  it('needs nothing of the buyer once it has ended, and nor does the result', async () => {
    expect(setEntry(sets.ended.id).needsYou).toBe(0);
    const { body } = await service.get<{ data: DealSetResult }>(
      `/api/v1/deal-sets/${sets.ended.id}`,
      world.session,
    );
    expect([body.data.needsYou, body.data.counts.needsYou]).toEqual([[], 0]);
  });

  it('has the exact distance once the dealership is seen, the band’s lower bound before', () => {
    expect(setEntry(sets.ready.id).lowestWrittenDistanceMiles).toBe(77.25);
    expect(setEntry(sets.ended.id).lowestWrittenDistanceMiles).toBe(100);
  });

  it('withholds from an assistant and describes the chosen by their cars', () => {
    expect(setEntry(world.set.id, forAssistant)).toEqual({
      ...setEntry(world.set.id),
      car: CAR_FOR_ASSISTANTS,
      buyerZip: null,
      dealerCount: null,
      lowestWrittenDistanceMiles: null,
      chosenLabels: expect.arrayContaining([
        'Blue 2026 Civic EX, about 12,300 miles, listed at $30,999',
        'Blue 2026 Civic LX, about 12,300 miles, listed at $30,999',
      ]) as string[],
    });
    expect(setEntry(world.set.id, forAssistant).chosenLabels).toHaveLength(3);
  });
});

describe('a single entry', () => {
  it('has every field, and the label only once she has seen the dealership', () => {
    expect(singleEntry('asked').dealerLabel).toBeNull();
    expect(singleEntry('unlocked')).toEqual({
      kind: 'single',
      id: singles.unlocked.id,
      car: { year: 2024, make: 'Honda', model: 'Fit', trim: 'Sport' },
      dealerLabel: 'Fremont Honda',
      section: 'in_progress',
      lowestWrittenOtdCents: null,
      needsYou: 0,
      latestActivityAt: expect.any(String) as string,
    });
  });

  it('is ready when finished, inactive when ended or archived', () => {
    const standings = Object.fromEntries(
      (Object.keys(singles) as (keyof typeof singles)[]).map((name) => [
        name,
        [singleEntry(name).section, singleEntry(name).lowestWrittenOtdCents],
      ]),
    );
    expect(standings).toEqual({
      ready: ['ready', 1_800_000],
      inProgress: ['in_progress', 1_810_000],
      notInWriting: ['ready', null],
      unlocked: ['in_progress', null],
      asked: ['in_progress', null],
      unknown: ['in_progress', null],
      ended: ['inactive', 1_830_000],
      archived: ['inactive', 1_840_000],
    });
  });

  it('needs the buyer once, however many questions wait, and not after the end', () => {
    expect(
      ['asked', 'unlocked', 'ended'].map((name) => singleEntry(name as 'asked').needsYou),
    ).toEqual([1, 0, 0]);
  });

  it('is described to an assistant by year, model and trim, seen or not, and null when none is known', () => {
    expect(
      ['asked', 'unlocked', 'unknown'].map(
        (name) => singleEntry(name as 'asked', forAssistant).dealerLabel,
      ),
    ).toEqual(['2024 Fit Sport', '2024 Fit Sport', null]);
    expect(singleEntry('unknown').car).toEqual({ year: null, make: null, model: null, trim: null });
  });

  it('is otherwise the same for an assistant', () => {
    for (const name of Object.keys(singles) as (keyof typeof singles)[]) {
      expect(singleEntry(name, forAssistant)).toEqual({
        ...singleEntry(name),
        dealerLabel: singleEntry(name, forAssistant).dealerLabel,
      });
    }
  });
});
