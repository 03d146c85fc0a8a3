import fc from 'fast-check';
import { sha256Hex } from '../../builders/index.js';
import { asAssistant, cookieOf, EPOCH, exchanges, isSame, LIST, startSides } from './two-sides.js';
import { idOf, KIND, recordsOf, twins, type Twins } from './twin-worlds.js';

type Changed = (facts: Twins) => Twins;
type Facts = Twins['requests'][number]['rows'][number];

const baseRow: Facts = {
  dealer: 0,
  listing: {
    year: 2024,
    make: 'Honda',
    model: 'Civic',
    trim: 'EX',
    exteriorColor: 'Blue',
    mileage: 1_000,
    listedAtCents: 3_000_000,
  },
  tells: false,
  answer: 'same_car',
  price: 'written',
  otdCents: 3_100_000,
  sellingPriceCents: 2_900_000,
  ended: null,
  standing: 'unlocked',
  isArchived: false,
  hasFinished: false,
  questions: 1,
  drafts: 0,
  replies: 1,
  category: 'price',
  isPartner: false,
};
const ofRow =
  (change: Partial<Facts>): Changed =>
  (facts) => ({
    ...facts,
    requests: facts.requests.map((request) => ({
      ...request,
      rows: request.rows.map((row, index) => (index === 0 ? { ...row, ...change } : row)),
    })),
  });
const ofListing = (change: Partial<Facts['listing']>): Changed =>
  ofRow({ listing: { ...baseRow.listing, ...change } });

/** Changes that an assistant may see, and so must see. */
const PERMITTED: readonly (readonly [string, Changed])[] = [
  ['model year', ofListing({ year: 2023 })],
  ['model', ofListing({ model: 'CR-V' })],
  ['trim', ofListing({ trim: 'LX' })],
  ['colour', ofListing({ exteriorColor: 'Silver' })],
  ['mileage', ofListing({ mileage: 1_300 })],
  ['list price', ofListing({ listedAtCents: 3_000_100 })],
  ['written price', ofRow({ otdCents: 3_100_001 })],
  ['selling price', ofRow({ sellingPriceCents: 2_900_001 })],
  ['answer', ofRow({ answer: 'different_car' })],
  ['writing of the price', ofRow({ price: 'none' })],
  ['ending', ofRow({ ended: 'sold' })],
  ['unlocking', ofRow({ standing: 'hidden' })],
  ['choice', ofRow({ standing: 'chosen' })],
  ['archiving', ofRow({ isArchived: true })],
  ['question', ofRow({ questions: 2 })],
  ['category', ofRow({ category: 'trade_in' })],
  ['draft', ofRow({ drafts: 1 })],
  ['reply', ofRow({ replies: 2 })],
  ['partner status', ofRow({ isPartner: true })],
  [
    'end of the request',
    (facts) => ({
      ...facts,
      requests: facts.requests.map((request) => ({ ...request, hasEnded: true })),
    }),
  ],
];

const [generated] = fc.sample(twins, { numRuns: 1, seed: 1 });
if (!generated) throw new Error('no world');
const base: Twins = {
  ...generated,
  changesGranted: true,
  requests: [
    {
      isSet: true,
      rows: [baseRow, { ...baseRow, dealer: 1 }],
      hasEnded: false,
      isTimeKnown: true,
    },
  ],
};

const sides = startSides(
  (side) =>
    PERMITTED.flatMap(([, change], pair) =>
      recordsOf(pair, side === 0 ? base : change(base), base.secrets[0], sha256Hex(cookieOf(pair))),
    ),
  60_000,
);

describe('two databases that differ in a value an assistant may see', () => {
  it.each(PERMITTED.map(([name], index) => [name, index] as const))(
    'give an assistant different responses: %s',
    async (_name, index) => {
      const done = await exchanges(
        sides,
        asAssistant(index),
        [`${LIST}/${idOf(index, KIND.request)}`],
        [EPOCH],
      );
      const statuses = done.flatMap(({ responses }) => responses.map(({ status }) => status));
      expect(statuses).toEqual(statuses.map(() => 200));
      expect(done.some((exchange) => !isSame(exchange))).toBe(true);
    },
  );
});
