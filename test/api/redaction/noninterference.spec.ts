import fc from 'fast-check';
import { closed, load, sha256Hex } from '../../builders/index.js';
import { HOST } from '../../setup/host-application.js';
import { LIST, type HttpResponse } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { idOf, recordsOf, worldPair, type WorldPair } from './twin-worlds.js';

/**
 * Enough for every fault of `npm run test:mutants`; `npm run test:release` compares more. A host
 * application needs fewer, because only the module's integration differs there.
 */
const PAIRS = Number(process.env['REDACTION_PAIRS'] ?? (HOST ? 10 : 60));
/** The number of pairs that are also compared over MCP, which reads with the same code. */
const MCP_PAIRS = Math.min(PAIRS, 25);
/** Much longer than a busy machine takes. */
const LIMIT_MS = 900_000;
const EPOCH = `${LIST}?since=1970-01-01T00:00:00Z`;
/** Characters that only withheld values contain. */
const SIGNATURE = /[ЖжΩωñ漢]|q\u0301|🚗Ж/u;

const worlds = fc.sample(worldPair, { numRuns: PAIRS, seed: PROPERTY_SEED });
const cookieOf = (pair: number): string => `session-of-pair-${String(pair).padStart(8, '0')}`;

/** A service on one of the two compared databases. */
interface Side {
  readonly database: TestDatabase;
  readonly service: TestService;
  /** Undefined in a host application, which has no MCP here. */
  readonly mcp: McpService | undefined;
}

async function startSide(side: 0 | 1): Promise<Side> {
  const database = await createTestDatabase();
  const records = worlds.flatMap((facts, pair) =>
    recordsOf(pair, facts, facts.secrets[side], sha256Hex(cookieOf(pair))),
  );
  await load(database, closed(records), { isBackfill: true });
  // A request without a known time is placed where it was recorded; here that is the same time on
  // both sides.
  await database.query(
    `UPDATE deal_sets.request_feed SET feed_at = timestamptz '2026-03-01Z'
       + ('x' || substr(md5(request_id::text), 1, 5))::bit(20)::integer * interval '1 millisecond'
     WHERE NOT is_time_known`,
  );
  await database.query('ANALYZE');
  // The secrets consist of words that may occur elsewhere, so the sides are compared and not
  // searched.
  const mcp = HOST ? undefined : await McpService.start({ database, isWatched: false });
  const service = mcp?.service ?? (await TestService.start({ database }));
  // While a writer is active, `Service-As-Of` depends only on stored times, not on the clock.
  await database.query(
    'SELECT pg_advisory_lock(key) FROM (SELECT DISTINCT deal_sets.feed_bucket_key(id) AS key FROM deal_sets.buyer) b',
  );
  return { database, service, mcp };
}

let sides: readonly Side[] = [];
beforeAll(async () => {
  sides = await Promise.all([startSide(0), startSide(1)]);
}, LIMIT_MS);
afterAll(async () => {
  for (const { service, database } of sides) {
    await service.stop();
    await database.drop();
  }
});

/** One credential for each side, because each has its own issuer. */
type Credentials = readonly Credential[];
const asAssistant = (pair: number, claims: Record<string, unknown> = {}): Promise<Credentials> =>
  Promise.all(sides.map(({ service }) => service.tokenFor(idOf(pair, 'buyer'), claims)));

interface Exchange {
  readonly what: string;
  readonly responses: readonly HttpResponse[];
}

/** Makes the same call to both sides. */
async function callBothSides(
  credentials: Credentials,
  target: string,
  method = 'GET',
): Promise<Exchange> {
  const responses = await Promise.all(
    sides.map(({ service }, side) => service.send(method, target, credentials[side])),
  );
  return { what: `${method} ${target}`, responses };
}

/** Requests every page of a poll from both sides, following the headers of the first one. */
async function poll(credentials: Credentials, target: string): Promise<Exchange[]> {
  const done: Exchange[] = [];
  for (let next = target; next !== '' && done.length < 10;) {
    const exchange = await callBothSides(credentials, next);
    done.push(exchange);
    const { headers } = exchange.responses[0]!;
    next =
      headers['service-more'] === 'true' ? `${LIST}?since=${String(headers['service-as-of'])}` : '';
  }
  return done;
}

/** A response as text, without the parts that differ between any two responses. */
function bytesOf({ status, headers, text }: HttpResponse): string {
  const { date: _date, 'service-request-id': _id, ...kept } = headers;
  return `${status} ${JSON.stringify(kept)} ${text}`;
}

/** Returns both responses around their first difference; undefined when they are equal. */
function differenceOf({ what, responses }: Exchange): readonly string[] | undefined {
  const [first = '', second = ''] = responses.map(bytesOf);
  if (first === second) return undefined;
  const at = Array.from(first).findIndex((character, index) => character !== second[index]);
  return [what, ...[first, second].map((text) => text.slice(Math.max(0, at - 80), at + 80))];
}

/** Runs the work for each pair, six at a time, which keeps both services busy. */
async function forEachPair<T>(count: number, work: (pair: number) => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let pair = next++; pair < count; pair = next++) results[pair] = await work(pair);
  };
  await Promise.all(Array.from({ length: 6 }, worker));
  return results;
}

const setIdsOf = (pair: number): string[] =>
  (worlds[pair] as WorldPair).requests
    .flatMap(({ isSet }, place) => (isSet ? [idOf(pair, 'request', place)] : []))
    .slice(0, 6);
const setsOf = (pair: number): string[] => setIdsOf(pair).map((id) => `${LIST}/${id}`);
const errorsOf = (pair: number): string[] => [
  `${LIST}/${idOf(pair, 'row', 0)}`,
  `${LIST}/${idOf((pair + 1) % PAIRS, 'request', 0)}`,
  `${LIST}/${idOf(pair, 'dealership', 0)}`,
  `${LIST}/not-a-uuid`,
  `${LIST}?since=yesterday`,
  `${LIST}/x/y`,
];

describe(`two databases that differ only in withheld values (PROPERTY_SEED=${PROPERTY_SEED})`, () => {
  it('contain listings of which something is hidden', async () => {
    for (const { database } of sides) {
      const cleaned = await database.query(
        'SELECT id FROM deal_sets.price_check WHERE listing_trim IS NOT NULL AND shown_trim IS NULL',
      );
      expect(cleaned.length).toBeGreaterThan(PAIRS / 10);
    }
  });

  it(
    'give an assistant the same responses, byte for byte, on every call',
    async () => {
      let calls = 0;
      const differing = await forEachPair(PAIRS, async (pair) => {
        const own = await asAssistant(pair);
        const hosted = await asAssistant(pair, { client_id: 'hosted-1' });
        const unscoped = await asAssistant(pair, { scope: 'requests:submit' });
        const done: Exchange[] = [];
        const targets = [LIST, ...setsOf(pair), ...errorsOf(pair)];
        for (const target of targets) done.push(await callBothSides(own, target));
        // Its headers equal those of GET, including the length of the body.
        for (const target of [LIST, targets[1]!])
          done.push(await callBothSides(own, target, 'HEAD'));
        for (const since of [
          '1970-01-01T00:00:00Z',
          '2026-01-05T16:47:00Z',
          '2026-03-01T00:00:00Z',
        ])
          done.push(...(await poll(own, `${LIST}?since=${since}`)));
        for (const target of [LIST, ...setsOf(pair).slice(0, 2)])
          done.push(await callBothSides(hosted, target));
        done.push(...(await poll(hosted, EPOCH)));
        done.push(await callBothSides(unscoped, LIST));
        calls += done.length;
        expect(done.some(({ responses }) => SIGNATURE.test(responses[0]!.text))).toBe(false);
        return done.map(differenceOf).filter((difference) => difference !== undefined);
      });
      expect(differing.flat().slice(0, 3)).toEqual([]);
      expect(calls).toBeGreaterThan(PAIRS * 15);
    },
    LIMIT_MS,
  );

  it('give the buyer different responses', async () => {
    const found = await forEachPair(Math.min(PAIRS, 50), async (pair) => {
      const asBuyer = sides.map(() => ({ cookie: cookieOf(pair) }));
      const gets = await Promise.all(setsOf(pair).map((target) => callBothSides(asBuyer, target)));
      return { gets, polls: await poll(asBuyer, EPOCH) };
    });
    const shareOf = (exchanges: readonly Exchange[]): number =>
      exchanges.filter((exchange) => differenceOf(exchange)).length / exchanges.length;
    const gets = found.flatMap((pair) => pair.gets);
    expect(gets.every(({ responses }) => responses[0]?.status === 200)).toBe(true);
    expect(shareOf(gets)).toBeGreaterThan(0.95);
    expect(shareOf(found.flatMap((pair) => pair.polls))).toBeGreaterThan(0.6);
  });

  // The host application has no MCP here.
  if (HOST === undefined) {
    it(
      'give an assistant the same MCP tool results, byte for byte',
      async () => {
        let results = 0;
        await forEachPair(MCP_PAIRS, async (pair) => {
          for (const claims of [{}, { client_id: 'hosted-1' }]) {
            for (const input of [
              {},
              { since: '1970-01-01T00:00:00Z' },
              ...setIdsOf(pair)
                .slice(0, 3)
                .map((dealSetId) => ({ dealSetId })),
            ]) {
              const name = 'dealSetId' in input ? 'get_deal_set' : 'list_price_requests';
              const [first, second] = await Promise.all(
                sides.map(async ({ mcp }) => {
                  const token = await mcp!.tokenFor(idOf(pair, 'buyer'), claims);
                  const result = await mcp!.tool(name, input, token);
                  // Each result names the server with its own address.
                  const text = JSON.stringify(result).replaceAll(mcp!.publicUrl, 'address');
                  return { text, isError: result.isError };
                }),
              );
              expect(second).toEqual(first);
              results += first!.isError ? 0 : 1;
            }
          }
        });
        expect(results).toBeGreaterThan(MCP_PAIRS * 4);
      },
      LIMIT_MS,
    );
  }
});
