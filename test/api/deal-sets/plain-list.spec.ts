import type { DealSetEntry, ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import type { DealSetResponse } from '../../../src/deal-sets/dto/responses.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  load,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const day = (n: number): string => new Date(Date.UTC(2026, 0, 1) + n * 86_400_000).toISOString();
const EPOCH = '?since=1970-01-01T00:00:00Z';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

async function listOf(credential: Credential, query = '', on = service) {
  const response = await on.get<{ data: ListEntry[] }>(`${LIST}${query}`, credential);
  expect(response.status).toBe(200);
  const entries = response.body.data;
  return {
    entries,
    ids: entries.map((entry) => (entry.kind === 'deal_set' ? entry.dealSetId : entry.id)),
    more: response.headers['service-more'],
    asOf: response.headers['service-as-of'],
  };
}

describe('the entry of a deal set', () => {
  it('labels chosen rows with an unknown listing as the deal set itself does', async () => {
    const anna = buyer();
    const motors = dealership();
    const set = dealSet({ buyerId: anna.id });
    const ids = { buyerId: anna.id, dealSetId: set.id, dealershipId: motors.id };
    const bare = { ...ids, listing: {}, chosenAt: day(3) };
    await load(service.database, [
      ...[anna, grant({ buyerId: anna.id }), motors, set],
      ...[priceCheck({ ...bare, answer: 'different_car' }), priceCheck(bare)],
    ]);
    const assistant = await service.tokenFor(anna.id);
    const [entry] = (await listOf(assistant)).entries;
    const { data } = (await service.get<DealSetResponse>(`${LIST}/${set.id}`, assistant)).body;
    const { differentCar, waiting } = data.everyoneElse;
    const labels = [...differentCar, ...waiting].map(({ label }) => label);
    const { year, model } = set.car;
    expect(labels).toEqual(['Car', `${year} ${model}`]);
    expect([...(entry as DealSetEntry).chosenLabels].sort()).toEqual(labels.sort());
  });
});

describe('the entry of a single request', () => {
  const anna = buyer();
  const { record, cookie } = signIn(anna.id);
  const fremont = dealership({ name: 'Fremont Honda' });
  const single = (values: Partial<Parameters<typeof priceCheck>[0]> = {}) =>
    priceCheck({
      buyerId: anna.id,
      dealershipId: fremont.id,
      listing: { year: 2024, make: 'Honda', model: 'Fit', trim: 'Sport', exteriorColor: 'Red' },
      ...values,
    });
  const at = day(3);
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
  const idOf = (name: string): string => SINGLES[name]![0].id;
  let ofBuyer: ListEntry[];
  let ofAssistant: ListEntry[];

  beforeAll(async () => {
    await load(service.database, [
      ...[anna, record, grant({ buyerId: anna.id }), fremont],
      ...Object.values(SINGLES).map(([single]) => single),
      ...['asked twice', 'asked twice', 'ended'].map((name) =>
        question({ priceCheckId: idOf(name) }),
      ),
      question({ priceCheckId: idOf('unlocked'), answeredAt: at }),
    ]);
    ofBuyer = (await listOf({ cookie }, EPOCH)).entries;
    ofAssistant = (await listOf(await service.tokenFor(anna.id), EPOCH)).entries;
  });

  it.each(Object.entries(SINGLES))(
    'has every field when it is %s; an assistant gets year, model and trim in place of its label',
    (name, [{ id }, section, lowestWrittenOtdCents, dealerLabel, needsYou]) => {
      const isKnown = name !== 'without a listing';
      const entry = {
        kind: 'single',
        id,
        car: isKnown
          ? { year: 2024, make: 'Honda', model: 'Fit', trim: 'Sport' }
          : { year: null, make: null, model: null, trim: null },
        dealerLabel,
        section,
        lowestWrittenOtdCents,
        needsYou,
        latestActivityAt: expect.any(String) as string,
      };
      expect(ofBuyer).toContainEqual(entry);
      const described = isKnown ? '2024 Fit Sport' : null;
      expect(ofAssistant).toContainEqual({ ...entry, dealerLabel: described });
    },
  );
});
