import { Agent } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { keepFigure } from '../setup/figures.js';
import { portOf, slowReads } from './fault-world.js';
import { call, createProcessWorld, type Outcome, type ProcessWorld } from './process-world.js';

let world: ProcessWorld;

afterEach(() => world.dispose());

/** Clients that call without pause on kept connections, until the service takes no new ones. */
function busyClients(count: number, agent: Agent): { outcomes: Outcome[]; done: Promise<unknown> } {
  const outcomes: Outcome[] = [];
  const client = async (): Promise<void> => {
    for (;;) {
      const outcome = await call(world.service.baseUrl, world.anna, agent);
      // Refused before anything was sent: nothing was accepted, so nothing is lost.
      if (outcome.error === 'ECONNREFUSED') return;
      outcomes.push(outcome);
    }
  };
  return { outcomes, done: Promise.all(Array.from({ length: count }, client)) };
}

describe('a stop under load', () => {
  it('loses no accepted request on any kept connection', async () => {
    world = await createProcessWorld();
    await slowReads(world.database, 0.02);
    const agent = new Agent({ keepAlive: true, maxSockets: 24 });
    const idle = Array.from({ length: 5 }, () =>
      connect(portOf(world.service.baseUrl), '127.0.0.1'),
    );
    for (const socket of idle) socket.on('error', () => undefined);
    const { outcomes, done } = busyClients(24, agent);
    await sleep(1_500);
    const before = outcomes.length;
    const stoppedAt = performance.now();
    const exitCode = await world.service.stop('SIGTERM');
    const tookMs = performance.now() - stoppedAt;
    await done;
    agent.destroy();
    for (const socket of idle) socket.destroy();
    expect(exitCode).toBe(0);
    expect(tookMs).toBeLessThan(10_000);
    const lost = outcomes.filter(({ status }) => status !== 200);
    expect(lost).toEqual([]);
    expect(before).toBeGreaterThan(50);
    expect(outcomes.length).toBeGreaterThan(before);
    const backends = await world.database.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'deal-sets %'`,
    );
    expect(backends).toEqual([]);
    keepFigure({
      fault: 'SIGTERM under load, 24 busy and 5 idle connections',
      answeredMs: tookMs,
      lost: lost.length,
      note: `answered: time to the end of the process; ${outcomes.length} requests, ${outcomes.length - before} after the signal`,
    });
  });

  it('gives a stuck request its 503 at the deadline, and ends in order', async () => {
    world = await createProcessWorld({ REQUEST_DEADLINE_MS: '2000' });
    const agent = new Agent({ keepAlive: true });
    const holder = new Client({ connectionString: world.database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE price_check, request_feed IN ACCESS EXCLUSIVE MODE');
    const stuck = call(world.service.baseUrl, world.anna, agent);
    await sleep(500);
    const stoppedAt = performance.now();
    const exitCode = await world.service.stop('SIGTERM');
    const tookMs = performance.now() - stoppedAt;
    const { status, text } = await stuck;
    await holder.end();
    expect([status, exitCode]).toEqual([503, 0]);
    expect(text).toContain('unavailable');
    expect(tookMs).toBeLessThan(4_000);
    keepFigure({
      fault: 'SIGTERM with a stuck request, deadline of 2,000 ms',
      answeredMs: tookMs,
      lost: 0,
    });
  });
});
