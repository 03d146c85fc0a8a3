import { setTimeout as sleep } from 'node:timers/promises';
import { ThrottlerStorageService } from '@nestjs/throttler';

// A process of its own: memory of the throttler's counters of 200,000 principals. Through HTTP it would take
// as many grants and sign-ins; the counters see only a key either way.

const PRINCIPALS = 200_000;

/** One hit of each; principals are counted round and round from 0. */
async function hit(storage: ThrottlerStorageService, principals: number): Promise<void> {
  for (let index = 0; index < PRINCIPALS; index += 1) {
    const buyer = `00000000-0000-4000-8000-${String(index % principals).padStart(12, '0')}`;
    await storage.increment(`${buyer} world-assistant`, 60_000, 120, 0, 'read');
  }
}

/** What a collection frees goes back to the system a moment later. */
async function settledMb(): Promise<number> {
  for (let pass = 0; pass < 3; pass += 1) {
    globalThis.gc?.();
    await sleep(50);
  }
  return process.memoryUsage.rss() / 2 ** 20;
}

// Grows the heap's young generation as a service under traffic does, so that only the counters are measured.
const others = new ThrottlerStorageService();
await hit(others, 10_000);
others.onApplicationShutdown();
const storage = new ThrottlerStorageService();
const before = await settledMb();
await hit(storage, PRINCIPALS);
const growthMb = (await settledMb()) - before;
// Used once more, so that the counters cannot have been collected.
if (storage.storage.size === PRINCIPALS) process.stdout.write(growthMb.toFixed(0));
storage.onApplicationShutdown();
