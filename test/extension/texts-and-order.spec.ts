import type { CarText, DisplayTexts, OrderedRow } from '../../src/index.js';
import type { DealSetResponse, ListResponse } from '../../src/deal-sets/dto/responses.js';
import type { DealSetEntry, SingleEntry } from '../../src/deal-sets/dto/list-entry.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  priceCheck,
  question,
  signIn,
} from '../builders/index.js';
import type { Credential, TestService } from '../setup/test-service.js';
import { teamSuite } from './with-team.js';

/** A set whose first group has its hero, three rows of the hero's price, and one more of a higher price. */
function makeWorld() {
  const anna = buyer();
  const dealer = dealership({ name: 'Redwood Motors' });
  const set = dealSet({ buyerId: anna.id, car: { year: 2025, make: 'Honda', model: 'CR-V' } });
  const row = (mileage: number, cents: number, writtenAt: string, given: object = {}) =>
    priceCheck({
      buyerId: anna.id,
      dealSetId: set.id,
      dealershipId: dealer.id,
      listing: {
        year: 2025,
        model: 'CR-V',
        trim: 'EX-L',
        exteriorColor: 'Blue',
        mileage,
        listedAtCents: 3_200_000 + mileage,
      },
      distanceMiles: 12.375 + mileage / 100,
      answer: 'same_car',
      price: { otdCents: cents, sellingPriceCents: cents - 100_000 - mileage, writtenAt },
      ...given,
    });
  const hero = row(9_049, 3_000_000, '2026-01-03T00:00:00Z');
  const tied = [5_000, 3_000, 4_000].map((mileage, index) =>
    row(mileage, 3_000_000, `2026-01-0${index + 4}T00:00:00Z`),
  );
  const last = row(1_000, 3_100_000, '2026-01-03T00:00:00Z');
  const bare = priceCheck({
    buyerId: anna.id,
    dealSetId: set.id,
    dealershipId: dealer.id,
    listing: {},
    chosenAt: '2026-01-05T00:00:00Z',
  });
  const single = priceCheck({ buyerId: anna.id, dealershipId: dealer.id });
  const { record, cookie } = signIn(anna.id);
  const records = [
    anna,
    dealer,
    set,
    hero,
    ...tied,
    last,
    bare,
    single,
    question({ priceCheckId: hero.id, category: 'price' }),
    record,
    grant({ buyerId: anna.id }),
    grant({ buyerId: anna.id, clientId: 'hosted-1', hosted: true }),
  ];
  return { anna, set, hero, tied, last, records, session: { cookie } };
}

const world = makeWorld();
const GET = `/api/v1/deal-sets/${world.set.id}`;
const LIST = '/api/v1/deal-sets';
const { withTeam } = teamSuite(world);

const ids = (rows: readonly { id: string }[]): string[] => rows.map(({ id }) => id);
async function rankedKeys(service: TestService, who: Credential): Promise<string[]> {
  const { body } = await service.get<DealSetResponse>(GET, who);
  expect(body.data.hero?.rowKey).toBe(world.hero.id);
  return body.data.ranked.flatMap(({ rows }) => rows.map(({ rowKey }) => rowKey));
}
type Tied = (typeof world.tied)[number];
const standard = ids([world.hero, ...world.tied, world.last]);

describe('the order of a team', () => {
  const [five, three, four] = world.tied as unknown as [Tied, Tied, Tied];

  it('sorts rows of equal price below the hero, and nothing else', async () => {
    // The hero's key is the highest.
    const rowOrder = ({ sellingPriceCents }: OrderedRow): number => -(sellingPriceCents ?? 0);
    await withTeam({ rowOrder }, async (service, assistant) => {
      for (const who of [world.session, assistant]) {
        expect(await rankedKeys(service, who)).toEqual(
          ids([world.hero, three, four, five, world.last]),
        );
      }
    });
  });

  it('keeps the order of the service for equal keys', async () => {
    const rowOrder = ({ rowKey }: OrderedRow): string => (rowKey === four.id ? 'a' : 'b');
    await withTeam({ rowOrder }, async (service) => {
      expect(await rankedKeys(service, world.session)).toEqual(
        ids([world.hero, four, five, three, world.last]),
      );
    });
  });

  it('sees of a row what the principal gets of it', async () => {
    const seen: OrderedRow[] = [];
    const rowOrder = (row: OrderedRow): number => seen.push(row);
    const noSellingPrices = { hide: ['Row.sellingPriceCents'], from: () => true } as const;
    await withTeam({ rowOrder, redactionRules: [noSellingPrices] }, async (service, assistant) => {
      const hosted = await service.tokenFor(world.anna.id, { client_id: 'hosted-1' });
      for (const who of [world.session, assistant, hosted]) await rankedKeys(service, who);
    });
    const [own, theirs, hosted] = [seen[0], seen[3], seen[6]];
    // Where its distance band begins: the dealership is not unlocked.
    expect(own).toMatchObject({ distanceMiles: 50, isVerifiedPartner: false });
    expect(theirs).toMatchObject({ distanceMiles: null, distanceBand: null });
    expect(hosted).not.toHaveProperty('isVerifiedPartner');
    for (const row of seen) {
      expect(row).toMatchObject({ otdCents: 3_000_000, sellingPriceCents: null });
      for (const text of ['label', 'statusLabel', 'priceCheckHref']) {
        expect(row).not.toHaveProperty(text);
      }
      expect(Object.isFrozen(row)).toBe(true);
    }
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('Redwood');
      },
    ],
    ['returns no number', () => NaN],
    ['returns numbers and strings', ({ rowKey }: OrderedRow) => (rowKey === five.id ? 1 : 'a')],
    ['returns a promise', () => Promise.resolve(1)],
  ])('gives way to the order of the service when it %s, and is logged', async (_what, rowOrder) => {
    await withTeam({ rowOrder: rowOrder as never }, async (service) => {
      expect(await rankedKeys(service, world.session)).toEqual(standard);
      expect(await rankedKeys(service, world.session)).toEqual(standard);
      const lines = service.logLines.filter((line) => line.includes('"part":"rowOrder"'));
      expect(lines).toHaveLength(1);
      expect(lines[0]).not.toContain('Redwood');
    });
  });
});

/** A locale. */
const german: DisplayTexts = {
  car: ({ year, model, trim, exteriorColor, aboutMiles, listedAtCents }) =>
    `${year} ${model} ${trim} (${exteriorColor}), etwa ${aboutMiles} Meilen, Listenpreis ${listedAtCents}`,
  shortCar: ({ year, model, trim }) => `${year} ${model} ${trim} kurz`,
  requestedCar: ({ year, model }) => `Gesucht: ${year} ${model}`,
  status: ({ state, ended }) => `Stand ${state} ${ended}`,
  questionHeading: ({ category, label }) => `Frage (${category}) zu ${label}`,
  headerLine: ({ written: prices, archived }) => `${prices} Preise, ${archived} im Archiv`,
};

describe('the display texts of a team', () => {
  it('take the place of every text of the service', async () => {
    await withTeam({ displayTexts: german }, async (service, assistant) => {
      const label = '2025 CR-V EX-L (Blue), etwa 9000 Meilen, Listenpreis 3209049';
      for (const who of [world.session, assistant]) {
        const { data } = (await service.get<DealSetResponse>(GET, who)).body;
        expect(data.hero?.label).toBe(label);
        expect(data.ranked[0]?.rows[0]).toMatchObject({ label, statusLabel: 'Stand written null' });
        const short = who === assistant ? label : '2025 CR-V EX-L kurz';
        expect(data.needsYou[0]).toMatchObject({ label, heading: `Frage (price) zu ${short}` });
        expect(data.headerLine).toBe(who === assistant ? null : '5 Preise, 0 im Archiv');
        // Of its listing nothing is known.
        expect(data.everyoneElse.waiting[0]?.label).toBe(
          who === assistant ? 'Gesucht: 2025 CR-V' : 'Redwood Motors',
        );
      }
      const { data } = (await service.get<ListResponse>(LIST, assistant)).body;
      const entries = Object.fromEntries(data.map((entry) => [entry.kind, entry]));
      expect((entries['single'] as SingleEntry).dealerLabel).toBe('2025 CR-V EX-L kurz');
      expect((entries['deal_set'] as DealSetEntry).chosenLabels).toEqual(['Gesucht: 2025 CR-V']);
    });
  });

  it('are given no fact that is hidden, and no exact miles', async () => {
    const seen: CarText[] = [];
    const displayTexts: DisplayTexts = {
      car: (car) => {
        seen.push(car);
        return 'Auto';
      },
    };
    const rule = { hide: ['listedAtCents', 'exteriorColor'], from: () => true } as const;
    await withTeam({ displayTexts, redactionRules: [rule] }, async (service, assistant) => {
      await service.get<DealSetResponse>(GET, assistant);
      await service.get<ListResponse>(LIST, assistant);
    });
    expect(seen.length).toBeGreaterThan(4);
    for (const { aboutMiles, ...car } of seen) {
      expect(car).toEqual({
        year: 2025,
        model: 'CR-V',
        trim: 'EX-L',
        exteriorColor: null,
        listedAtCents: null,
      });
      expect(Number(aboutMiles) % 100).toBe(0);
    }
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('Redwood');
      },
    ],
    ['is empty', () => ' '],
    ['is too long', () => 'x'.repeat(301)],
    ['has a line break', () => 'a\nb'],
    ['is no string', () => 7],
    ['is late', () => Promise.resolve('a')],
  ])('give way to the text of the service when one %s, and that is logged', async (_what, text) => {
    const names = ['car', 'shortCar', 'requestedCar', 'status', 'questionHeading', 'headerLine'];
    const displayTexts = Object.fromEntries(names.map((name) => [name, text])) as never;
    await withTeam({ displayTexts }, async (service, assistant) => {
      const { data } = (await service.get<DealSetResponse>(GET, assistant)).body;
      expect(data.hero?.label).toBe('Blue 2025 CR-V EX-L, about 9,000 miles, listed at $32,090');
      expect(data.ranked[0]?.rows[0]?.statusLabel).toBe('Price in writing');
      expect(data.everyoneElse.waiting[0]?.label).toBe('2025 CR-V');
      const own = (await service.get<DealSetResponse>(GET, world.session)).body.data;
      expect(own.headerLine).toBe('5 written prices, 1 without a written price yet');
      expect(own.needsYou[0]).toMatchObject({
        heading: 'A question about the price: 2025 CR-V EX-L',
      });
      for (const name of names) {
        const lines = service.logLines.filter((line) => line.includes(`displayTexts.${name}"`));
        expect([name, lines.length]).toEqual([name, 1]);
      }
      expect(service.logLines.join('')).not.toContain('Redwood');
    });
  });
});

describe('the boot', () => {
  it.each([
    [
      'an unknown text',
      { displayTexts: { label: () => 'x' } },
      'displayTexts.label: expected a function',
    ],
    ['a text that is no function', { displayTexts: { car: 'x' } }, 'displayTexts.car: expected'],
    ['an order that is no function', { rowOrder: 'otdCents' }, 'rowOrder: expected a function'],
  ])('stops on %s', async (_what, extensions, message) => {
    await expect(withTeam(extensions as never, () => Promise.resolve())).rejects.toThrow(message);
  });
});
