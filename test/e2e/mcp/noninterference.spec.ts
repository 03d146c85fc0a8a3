import fc from 'fast-check';
import { load, sha256Hex } from '../../builders/index.js';
import { McpService, type ToolResult } from '../../setup/mcp-service.js';
import { PROPERTY_SEED } from '../../setup/property-seed.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { idOf, KIND, recordsOf, twins } from '../redaction/twin-worlds.js';

const PAIRS = Number(process.env['MCP_PAIRS'] ?? 25);
const LIMIT_MS = 300_000;

const worlds = fc.sample(twins, { numRuns: PAIRS, seed: PROPERTY_SEED });

interface Side {
  readonly database: TestDatabase;
  readonly mcp: McpService;
}

async function startSide(place: 0 | 1): Promise<Side> {
  const database = await createTestDatabase();
  const records = worlds.flatMap((facts, pair) =>
    recordsOf(pair, facts, facts.secrets[place], sha256Hex(`session of pair ${pair}`)),
  );
  await load(database, records, { isBackfill: true });
  // Where the time of the newest change is unknown, a request is placed where it was recorded.
  await database.query(
    `UPDATE request_feed SET feed_at = timestamptz '2026-03-01Z'
       + ('x' || substr(md5(request_id::text), 1, 5))::bit(20)::integer * interval '1 millisecond'
     WHERE NOT is_time_known`,
  );
  // Its secrets consist of words that may be seen elsewhere: the sides are compared instead.
  const mcp = await McpService.start({ database, isWatched: false });
  // With a writer at work what a poll says comes from what is stored, not from the clock.
  await database.query('SELECT pg_advisory_lock(deal_sets.feed_lock_key())');
  return { database, mcp };
}

let sides: readonly [Side, Side];

beforeAll(async () => {
  sides = [await startSide(0), await startSide(1)];
}, LIMIT_MS);
afterAll(async () => {
  for (const { database, mcp } of sides) {
    await mcp.stop();
    await database.drop();
  }
});

/** What each side answers to the same call. */
async function answersTo(
  pair: number,
  name: string,
  input: Record<string, unknown>,
  claims: Record<string, unknown>,
): Promise<ToolResult[]> {
  return Promise.all(
    sides.map(async ({ mcp }) =>
      mcp.tool(name, input, await mcp.tokenFor(idOf(pair, KIND.buyer), claims)),
    ),
  );
}

describe(`tools of two worlds that differ in what an assistant may not see (PROPERTY_SEED=${PROPERTY_SEED})`, () => {
  it(
    'answer the same, byte for byte',
    async () => {
      let compared = 0;
      for (const [pair, { requests }] of worlds.entries()) {
        const sets = requests.flatMap((request, place) =>
          request.isSet ? [idOf(pair, KIND.request, place)] : [],
        );
        for (const claims of [{}, { client_id: 'hosted-1' }]) {
          const calls: [string, Record<string, unknown>][] = [
            ['list_price_requests', {}],
            ['list_price_requests', { since: '1970-01-01T00:00:00Z' }],
            ...sets
              .slice(0, 3)
              .map((dealSetId): [string, Record<string, unknown>] => [
                'get_deal_set',
                { dealSetId },
              ]),
          ];
          for (const [name, input] of calls) {
            const [one, two] = await answersTo(pair, name, input, claims);
            expect(two).toEqual(one);
            compared += one!.isError ? 0 : 1;
          }
        }
      }
      expect(compared).toBeGreaterThan(PAIRS * 4);
    },
    LIMIT_MS,
  );
});
