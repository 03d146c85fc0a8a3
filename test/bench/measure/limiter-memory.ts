import { setTimeout as sleep } from 'node:timers/promises';
import { SlidingLogStorage } from '../../../src/rate-limit/sliding-log-storage.js';

// A process of its own: memory of the rate-limit counters of 200,000 principals. Through HTTP it would take
// as many grants and sign-ins; the counters see only a key either way.

const PRINCIPALS = 200_000;

/** What a collection frees goes back to the system a moment later. */
async function settledMb(): Promise<number> {
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage.rss() / 2 ** 20;
}

/** Grows the heap's young generation as a service under traffic does, so that only the counters are measured. */
async function warmUp(): Promise<void> {
  const others = new SlidingLogStorage();
  for (let hit = 0; hit < PRINCIPALS; hit += 1) {
    await others.increment(principal(hit % 10_000), 60_000, 120);
  }
}

function principal(index: number): string {
  const buyer = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return `read assistant ${buyer} world-assistant`;
}

await warmUp();
const storage = new SlidingLogStorage();
await storage.increment('first', 60_000, 120);
const before = await settledMb();
for (let index = 0; index < PRINCIPALS; index += 1) {
  await storage.increment(principal(index), 60_000, 120);
}
const growthMb = (await settledMb()) - before;
// Used once more, so that the counters cannot have been collected.
const { totalHits } = await storage.increment('first', 60_000, 120);
process.stdout.write(JSON.stringify({ growthMb, isKept: totalHits === 2 }));
