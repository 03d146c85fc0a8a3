import { keepFigure } from '../../setup/figures.js';
import { slowReads } from './fault-world.js';
import {
  callAtRate,
  createProcessWorld,
  metric,
  type Outcome,
  type ProcessWorld,
} from './process-world.js';

const POOL_SIZE = 2;
const READ_SECONDS = 0.05;
/** What the connections can carry; the rest of the time goes to everything else. */
const SUSTAINABLE_PER_SECOND = POOL_SIZE / READ_SECONDS;

function percentile(outcomes: readonly Outcome[], share: number): number {
  const times = outcomes.map(({ tookMs }) => tookMs).sort((a, b) => a - b);
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

describe('three times the load that the connections can carry', () => {
  let world: ProcessWorld;

  beforeAll(async () => {
    world = await createProcessWorld({ DATABASE_POOL_SIZE: String(POOL_SIZE) });
    await slowReads(world.database, READ_SECONDS);
  });
  afterAll(() => world.dispose());

  it('is served as far as it can be, in bounded time, and refused early beyond', async () => {
    await callAtRate(world, SUSTAINABLE_PER_SECOND / 2, 2, world.anna.getPath);
    const memoryBefore = await metric(world, 'process_resident_memory_bytes');
    const outcomes = await callAtRate(world, SUSTAINABLE_PER_SECOND * 3, 8, world.anna.getPath);
    const memoryAfter = await metric(world, 'process_resident_memory_bytes');

    const accepted = outcomes.filter(({ status }) => status === 200);
    const refused = outcomes.filter(({ status }) => status === 503);
    expect(accepted.length + refused.length).toBe(outcomes.length);
    // The connections stay busy with what is accepted.
    expect(accepted.length).toBeGreaterThan(SUSTAINABLE_PER_SECOND * 8 * 0.4);
    expect(percentile(accepted, 0.99)).toBeLessThan(3_000);
    expect(refused.length).toBeGreaterThan(accepted.length);
    const codes = refused.map(({ text, retryAfter }) => {
      const { code } = (JSON.parse(text) as { error: { code: string } }).error;
      // A machine that is slow besides may take over a second to sign a caller in, and then says that.
      if (code !== 'auth_unverifiable') expect(retryAfter).toMatch(/^[1-9]\d*$/);
      return code;
    });
    expect(codes.filter((code) => code === 'unavailable').length).toBeGreaterThan(
      refused.length / 2,
    );
    expect(new Set([...codes, 'auth_unverifiable'])).toEqual(
      new Set(['unavailable', 'auth_unverifiable']),
    );
    // Early: long before the deadline, and most of them at once.
    expect(percentile(refused, 0.99)).toBeLessThan(2_500);
    expect(percentile(refused, 0.5)).toBeLessThan(500);
    expect(memoryAfter - memoryBefore).toBeLessThan(100 * 2 ** 20);

    await slowReads(world.database, 0);
    const after = await callAtRate(world, SUSTAINABLE_PER_SECOND / 2, 1);
    expect(new Set(after.map(({ status }) => status))).toEqual(new Set([200]));
    keepFigure({
      fault: 'three times the sustainable load for 8 s',
      answeredMs: percentile(outcomes, 1),
      note: [
        `200: ${accepted.length}, p99 ${Math.round(percentile(accepted, 0.99))} ms`,
        `503: ${refused.length}, p50 ${Math.round(percentile(refused, 0.5))} ms`,
        `memory ${Math.round(memoryAfter / 2 ** 20)} MB, ${Math.round((memoryAfter - memoryBefore) / 2 ** 20)} more`,
      ].join('; '),
    });
  });
});
