import { readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import { keepFigure } from '../../setup/figures.js';
import { call, createProcessWorld, type Outcome, type ProcessWorld } from './process-world.js';

const MEMBERS = 150;
const DRAFT_CHARACTERS = 100_000;
const PARALLEL = 40;
/** The aims, and how much slower a busy machine may be. */
const SLOWER = 5;
const ONE_GET_MS = 100 * SLOWER;
const HEALTH_MS = 200 * SLOWER;
const ANSWER_MS = 8_300 * SLOWER;
const MORE_MEMORY = 300 * 2 ** 20;

/** Adds members to the buyer's deal set, each with a draft as long as a draft may be. */
async function addLongDrafts({ database, anna }: ProcessWorld): Promise<void> {
  const setId = anna.getPath.split('/').at(-1);
  await database.query(
    `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at)
     SELECT s.buyer_id, gen_random_uuid(), s.id, (SELECT id FROM dealership LIMIT 1), now()
     FROM deal_set s, generate_series(1, $2) WHERE s.id = $1`,
    [setId, MEMBERS],
  );
  // Random words, so that they do not compress; every other draft with emoji of several code points.
  await database.query(
    `INSERT INTO draft (buyer_id, id, price_check_id, body, created_at)
     SELECT p.buyer_id, gen_random_uuid(), p.id, left((
       SELECT string_agg(md5(p.id::text || word) || CASE WHEN p.place % 2 = 0 THEN ' 👩🏽‍💻 é ' ELSE ' ' END, '')
       FROM generate_series(1, $2 / 33 + 1) word), $2), now()
     FROM (SELECT *, row_number() OVER () AS place FROM price_check
       WHERE deal_set_id = $1 AND otd_cents IS NULL) p`,
    [setId, DRAFT_CHARACTERS],
  );
}

/** The most memory a process has had at once, in bytes. */
function peakMemory(pid: number): number {
  const found = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(found?.[1]) * 1024;
}

describe('a deal set with long drafts on every row', () => {
  let world: ProcessWorld;
  const agent = new Agent({ keepAlive: true });
  const get = (): Promise<Outcome> =>
    call(world.service.baseUrl, world.anna, agent, world.anna.getPath);

  beforeAll(async () => {
    world = await createProcessWorld();
    await addLongDrafts(world);
  });
  afterAll(async () => {
    agent.destroy();
    await world.dispose();
  });

  it('is read by many callers at once without holding up the process', async () => {
    const first = await get();
    expect(first.status).toBe(200);
    const { data } = JSON.parse(first.text) as { data: DealSetResult };
    expect(data.needsYou).toHaveLength(MEMBERS);
    for (const item of data.needsYou) expect(item).toMatchObject({ previewComplete: false });
    const alone = Math.min((await get()).tookMs, (await get()).tookMs, (await get()).tookMs);
    const memoryBefore = peakMemory(world.service.pid);

    const state = { isDone: false };
    let slowestHealthMs = 0;
    const probe = (async () => {
      const own = new Agent({ keepAlive: true });
      while (!state.isDone) {
        const outcome = await call(world.service.baseUrl, world.anna, own, '/health/live');
        expect(outcome.status).toBe(200);
        slowestHealthMs = Math.max(slowestHealthMs, outcome.tookMs);
        await sleep(10);
      }
      own.destroy();
    })();
    const outcomes = await Promise.all(Array.from({ length: PARALLEL }, get));
    state.isDone = true;
    await probe;
    const memory = peakMemory(world.service.pid);
    const slowest = Math.max(...outcomes.map(({ tookMs }) => tookMs));
    const served = outcomes.filter(({ status }) => status === 200).length;

    keepFigure({
      fault: `${PARALLEL} gets at once of ${MEMBERS} long drafts`,
      answeredMs: slowest,
      note: [
        `alone ${Math.round(alone)} ms`,
        `200: ${served}`,
        `/health/live at most ${Math.round(slowestHealthMs)} ms`,
        `memory at most ${Math.round(memory / 2 ** 20)} MB, ${Math.round((memory - memoryBefore) / 2 ** 20)} more`,
      ].join('; '),
    });
    expect([200, 503]).toEqual(expect.arrayContaining(outcomes.map(({ status }) => status)));
    expect(served).toBeGreaterThan(0);
    expect(slowest).toBeLessThan(ANSWER_MS);
    expect(slowestHealthMs).toBeLessThan(HEALTH_MS);
    expect(alone).toBeLessThan(ONE_GET_MS);
    expect(memory - memoryBefore).toBeLessThan(MORE_MEMORY);
  });
});
