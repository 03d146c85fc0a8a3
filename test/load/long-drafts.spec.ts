import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DealSetResult } from '../../src/deal-sets/dto/deal-set-result.js';
import { loadBuyer, type FaultBuyer } from '../faults/fault-world.js';
import { call, cookie, type HttpResponse } from '../setup/http-call.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const MEMBERS = 150;
const DRAFT_CHARACTERS = 100_000;
const CALLERS = 40;
/** The goal is 200 ms on two idle cores; a shared machine may be slower. */
const HEALTH_MS = 1_000;

type Timed = HttpResponse & { readonly tookMs: number };

describe('a deal set with a long draft in a language without blanks on every row', () => {
  let database: TestDatabase;
  let anna: FaultBuyer;
  let service: RunningProcess;
  const agent = new Agent({ keepAlive: true });
  const prober = new Agent({ keepAlive: true });

  beforeAll(async () => {
    database = await createTestDatabase();
    anna = await loadBuyer(database);
    const setId = anna.getPath.split('/').at(-1);
    await database.query(
      `INSERT INTO deal_sets.price_check (buyer_id, id, deal_set_id, dealership_id, requested_at)
       SELECT s.buyer_id, gen_random_uuid(), s.id, (SELECT id FROM deal_sets.dealership LIMIT 1), now()
       FROM deal_sets.deal_set s, generate_series(1, $2) WHERE s.id = $1`,
      [setId, MEMBERS],
    );
    // Ideographs in random order, so that they do not compress.
    await database.query(
      `INSERT INTO deal_sets.draft (buyer_id, id, price_check_id, body, created_at)
       SELECT p.buyer_id, gen_random_uuid(), p.id, body, now()
       FROM deal_sets.price_check p, (
         SELECT string_agg(chr((19968 + (place * 7919 + place * place) % 20000)::integer), '' ORDER BY place) AS body
         FROM generate_series(1::bigint, $2) place) b
       WHERE p.deal_set_id = $1 AND p.otd_cents IS NULL`,
      [setId, DRAFT_CHARACTERS],
    );
    service = await startProcess({ DATABASE_URL: database.url, READ_RATE_LIMIT: '1000000' });
  });
  afterAll(async () => {
    agent.destroy();
    prober.destroy();
    await service.stop();
    await database.drop();
  });

  async function timed(target: string, by: Agent): Promise<Timed> {
    const startedAt = performance.now();
    const response = await call(service.port, target, { ...cookie(anna.cookie), agent: by });
    return { ...response, tookMs: performance.now() - startedAt };
  }
  const slowest = (calls: readonly Timed[]): number =>
    Math.round(Math.max(...calls.map(({ tookMs }) => tookMs)));

  it('is read by forty callers at once while the process stays responsive', async () => {
    const alone = await timed(anna.getPath, agent);
    const { data } = JSON.parse(alone.text) as { data: DealSetResult };
    expect(data.needsYou).toHaveLength(MEMBERS);
    const again = await timed(anna.getPath, agent);

    const done = new AbortController();
    const probing = (async () => {
      const probes: Timed[] = [];
      while (!done.signal.aborted) {
        probes.push(await timed('/health/live', prober));
        await sleep(10);
      }
      return probes;
    })();
    const outcomes = await Promise.all(
      Array.from({ length: CALLERS }, () => timed(anna.getPath, agent)),
    );
    done.abort();
    const probes = await probing;
    process.stdout.write(
      `long drafts: one call ${Math.round(again.tookMs)} ms; ${CALLERS} at once: ` +
        `slowest ${slowest(outcomes)} ms, /health/live at most ${slowest(probes)} ms\n`,
    );
    expect(outcomes.map(({ status }) => status)).toEqual(outcomes.map(() => 200));
    expect(new Set(probes.map(({ status }) => status))).toEqual(new Set([200]));
    expect(slowest(probes)).toBeLessThan(HEALTH_MS);
  });
});
