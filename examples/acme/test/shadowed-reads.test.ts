import {
  DealSetReads,
  DealSetsService,
  type Deadline,
  type DealSetRead,
  type ListCall,
  type ListRead,
  type Principal,
} from '@deal-sets/service';
import { sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { ShadowedReads } from '../src/shadowed-reads.js';

const world = sampleWorld();
const registry = new Registry();
let service: TestService;
/** What the second implementation does with the list before it returns it. */
let change: (read: ListRead) => ListRead | Promise<ListRead>;

/** A second implementation whose lists a test can change or hold back. */
class Candidate extends DealSetReads {
  constructor(private readonly reads: DealSetsService) {
    super();
  }

  override async list(principal: Principal, call: ListCall, deadline: Deadline): Promise<ListRead> {
    return change(await this.reads.list(principal, call, deadline));
  }

  override get(principal: Principal, id: string, deadline: Deadline): Promise<DealSetRead> {
    return this.reads.get(principal, id, deadline);
  }
}

beforeAll(async () => {
  service = await startTestService({
    world: world.records,
    hostOptions: {
      providers: [
        {
          provide: DealSetReads,
          useFactory: (reads: DealSetsService) =>
            new ShadowedReads(reads, new Candidate(reads), registry, 1),
          inject: [DealSetsService],
        },
      ],
    },
  });
}, 60_000);
afterAll(() => service.stop(), 30_000);
beforeEach(() => {
  registry.resetMetrics();
  change = (read) => read;
});

const list = '/api/v1/deal-sets';
const statusOf = async (path: string) =>
  (await fetch(service.url + path, { headers: { cookie: `__Host-session=${world.cookie}` } }))
    .status;
const metrics = () => registry.metrics();
const counted = (line: string) =>
  vi.waitFor(async () => expect(await metrics()).toContain(line), { timeout: 30_000 });

it('counts equal responses of both reads', async () => {
  for (const path of [list, world.dealSetPath]) expect(await statusOf(path)).toBe(200);
  await counted('acme_shadow_reads_total{result="equal"} 2');
});

it('sends the response while the second read has not finished, and counts a difference', async () => {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  change = (read) => held.then(() => ({ ...read, response: { data: [] } }));
  expect(await statusOf(list)).toBe(200);
  expect(await metrics()).not.toContain('result="different"');
  release();
  await counted('acme_shadow_reads_total{result="different"} 1');
});

it('sends the response although the second read fails', async () => {
  change = () => Promise.reject(new Error('not implemented'));
  expect(await statusOf(list)).toBe(200);
  await counted('acme_shadow_reads_total{result="failed"} 1');
});
