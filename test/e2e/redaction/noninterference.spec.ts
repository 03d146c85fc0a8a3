import fc from 'fast-check';
import { sha256Hex } from '../../builders/index.js';
import { HOST } from '../../setup/host-application.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import {
  asAssistant,
  asBuyer,
  cookieOf,
  differenceOf,
  EPOCH,
  exchanges,
  isSame,
  LIST,
  startSides,
} from './two-sides.js';
import { idOf, KIND, recordsOf, twins, type Twins } from './twin-worlds.js';

/** A sample on each push; `npm run test:full` compares more. In a host: that the module is the same there. */
const PAIRS = Number(process.env['REDACTION_PAIRS'] ?? (HOST ? 25 : 100));
/** Well over what a busy machine takes. */
const LIMIT_MS = 300_000;
/** Characters that only withheld values contain. */
const SIGNATURE = /[ЖжΩωñ漢]|q\u0301|🚗Ж/u;

const worlds = fc.sample(twins, { numRuns: PAIRS, seed: PROPERTY_SEED });
const sides = startSides(
  (side) =>
    worlds.flatMap((facts, pair) =>
      recordsOf(pair, facts, facts.secrets[side], sha256Hex(cookieOf(pair))),
    ),
  LIMIT_MS,
);

describe(`two databases that differ only in withheld values (PROPERTY_SEED=${PROPERTY_SEED})`, () => {
  it('both hold listings of which something is not shown', async () => {
    const cleaned = await Promise.all(
      sides.map(({ database }) =>
        database.query<{ id: string }>(
          'SELECT id FROM price_check WHERE listing_trim IS NOT NULL AND shown_trim IS NULL',
        ),
      ),
    );
    const cleanedRows = (rows: { id: string }[] | undefined): number => rows?.length ?? 0;
    expect(cleanedRows(cleaned[0])).toBeGreaterThan(PAIRS / 10);
    expect(cleanedRows(cleaned[1])).toBeGreaterThan(PAIRS / 10);
  });

  it(
    'give an assistant the same responses, byte for byte, on every call',
    async () => {
      let calls = 0;
      const differing = await ofAll(PAIRS, async (pair) => {
        const facts = worlds[pair]!;
        const gets = setsOf(pair, facts);
        const done = [
          ...(await exchanges(
            sides,
            asAssistant(pair),
            [LIST, ...gets, ...errorsOf(pair, PAIRS)],
            [EPOCH, `${LIST}?since=2026-01-05T16:47:00Z`, `${LIST}?since=2026-03-01T00:00:00Z`],
          )),
          ...(await exchanges(
            sides,
            asAssistant(pair, { client_id: 'hosted-1' }),
            [LIST, ...gets.slice(0, 2)],
            [EPOCH],
          )),
          ...(await exchanges(sides, asAssistant(pair, { scope: 'requests:submit' }), [LIST], [])),
        ];
        calls += done.length;
        expect(
          done.some(({ responses }) =>
            SIGNATURE.test(Buffer.from(responses[0].body, 'latin1').toString('utf8')),
          ),
        ).toBe(false);
        return done
          .filter((exchange) => !isSame(exchange))
          .map((exchange) => ({ pair, ...differenceOf(exchange) }));
      });
      expect(differing.flat().slice(0, 3)).toEqual([]);
      expect(calls).toBeGreaterThan(PAIRS * 15);
    },
    LIMIT_MS,
  );

  it('give the buyer different responses', async () => {
    const found = await ofAll(Math.min(PAIRS, 100), async (pair) => {
      const gets = setsOf(pair, worlds[pair]!);
      const done = await exchanges(sides, asBuyer(pair), gets, [EPOCH]);
      return done.filter(({ what }) => what.startsWith('GET'));
    });
    const ofGets = found.flat().filter(({ what }) => !what.includes('since'));
    const ofPolls = found.flat().filter(({ what }) => what.includes('since=1970'));
    expect(ofGets.every(({ responses }) => responses[0].status === 200)).toBe(true);
    expect(ofGets.filter((exchange) => !isSame(exchange)).length).toBeGreaterThan(
      ofGets.length * 0.95,
    );
    expect(ofPolls.filter((exchange) => !isSame(exchange)).length).toBeGreaterThan(
      ofPolls.length * 0.6,
    );
  });
});

const setsOf = (pair: number, facts: Twins): string[] =>
  facts.requests
    .flatMap((request, place) =>
      request.isSet ? [`${LIST}/${idOf(pair, KIND.request, place)}`] : [],
    )
    .slice(0, 6);

const errorsOf = (pair: number, pairs: number): string[] => [
  `${LIST}/${idOf(pair, KIND.row, 0)}`,
  `${LIST}/${idOf((pair + 1) % pairs, KIND.request, 0)}`,
  `${LIST}/${idOf(pair, KIND.dealership, 0)}`,
  `${LIST}/not-a-uuid`,
  `${LIST}?since=yesterday`,
  `${LIST}/x/y`,
];

/** Runs the work for each pair, six at a time: as many as keep both services busy. */
async function ofAll<T>(count: number, work: (pair: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let pair = next++; pair < count; pair = next++) results[pair] = await work(pair);
    }),
  );
  return results;
}
