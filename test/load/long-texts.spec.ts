import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DealSetResult } from '../../src/deal-sets/dto/deal-set-result.js';
import { call, cookie } from '../setup/http-call.js';
import { startProcess, type RunningProcess } from '../setup/start-process.js';
import { World, type WorldBuyer } from '../setup/world.js';

const QUESTIONS = 200;
const CHARACTERS = 10_000;
const READS = 300;

describe('a deal set with many long questions', () => {
  let world: World;
  let other: WorldBuyer;
  let service: RunningProcess;
  const agents = [new Agent({ keepAlive: true }), new Agent({ keepAlive: true })] as const;

  beforeAll(async () => {
    world = await World.create();
    other = await world.addBuyer();
    await addQuestions(world.buyer, QUESTIONS, CHARACTERS);
    await addQuestions(other, 4, 80);
    service = await startProcess({ DATABASE_URL: world.database.url, READ_RATE_LIMIT: '1000000' });
  });
  afterAll(async () => {
    for (const agent of agents) agent.destroy();
    await service.stop();
    await world.stop();
  });

  /** Adds open questions with cleared texts of this length to a hidden row of a buyer's deal set. */
  async function addQuestions(owner: WorldBuyer, count: number, length: number): Promise<void> {
    const setId = owner.getPath.split('/').at(-1);
    await world.database.query(
      `WITH row AS (
         INSERT INTO deal_sets.price_check (buyer_id, id, deal_set_id, dealership_id, requested_at)
         SELECT s.buyer_id, gen_random_uuid(), s.id, (SELECT id FROM deal_sets.dealership LIMIT 1), now()
         FROM deal_sets.deal_set s WHERE s.id = $1 RETURNING *
       )
       INSERT INTO deal_sets.question (buyer_id, id, request_id, price_check_id, category, text, text_while_hidden, answer_mode, asked_at)
       SELECT row.buyer_id, gen_random_uuid(), row.deal_set_id, row.id, 'price', '', repeat('no fee today ', $3), 'text', now()
       FROM row, generate_series(1, $2)`,
      [setId, count, Math.floor(length / 'no fee today '.length)],
    );
  }

  async function read(owner: WorldBuyer, agent: Agent): Promise<{ text: string; tookMs: number }> {
    const startedAt = performance.now();
    const { status, text } = await call(service.port, owner.getPath, {
      ...cookie(owner.session.cookie),
      agent,
    });
    expect(status).toBe(200);
    return { text, tookMs: performance.now() - startedAt };
  }

  /** The median and the longest time of reads of one buyer, in milliseconds. */
  async function times(): Promise<readonly [median: number, longest: number]> {
    const taken: number[] = [];
    for (let count = 0; count < READS; count += 1) {
      taken.push((await read(other, agents[1])).tookMs);
      await sleep(5);
    }
    taken.sort((a, b) => a - b);
    return [taken[READS >> 1]!, taken.at(-1)!];
  }

  it('is read again and again while another buyer reads as if alone', async () => {
    const { data } = JSON.parse((await read(world.buyer, agents[0])).text) as {
      data: DealSetResult;
    };
    expect(data.needsYou).toHaveLength(QUESTIONS);
    await times();
    const alone = await times();
    const done = new AbortController();
    const reading = (async () => {
      let count = 0;
      for (; !done.signal.aborted; count += 1) await read(world.buyer, agents[0]);
      return count;
    })();
    const beside = await times();
    done.abort();
    const text = ([median, longest]: readonly [number, number]): string =>
      `median ${median.toFixed(1)} ms, longest ${longest.toFixed(1)} ms`;
    process.stdout.write(
      `long texts: another buyer alone: ${text(alone)}; beside ${await reading} reads: ${text(beside)}\n`,
    );
    // One read of the other buyer at most waits for the response that is being written.
    expect(beside[0]).toBeLessThan(alone[0] + 100);
  });
});
