import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepFigure } from '../../setup/figures.js';
import type { RunningProcess } from '../../setup/start-process.js';
import { openUnreadingClients, startWithoutDatabase } from './unread-clients.js';

const CLIENTS = 50;
/** 2 s without a byte taken, and what a busy machine needs to process what was let in before. */
const STOP_LIMIT_MS = 7_000;

describe('a stop with clients that never read', () => {
  let service: RunningProcess;
  let sockets: Socket[];

  beforeEach(async () => {
    sockets = [];
    service = await startWithoutDatabase();
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop('SIGKILL');
  });

  /** Waits until no more responses go out: the buffers of every connection are full. */
  async function stalled(): Promise<void> {
    let length = -1;
    while (service.output().length !== length) {
      length = service.output().length;
      await sleep(1_000);
    }
  }

  it.each([
    ['for long', stalled],
    ['since the stop began', (): Promise<void> => Promise.resolve()],
  ])('ends in order: they have not read %s', async (since, wait) => {
    sockets = await openUnreadingClients(service, CLIENTS);
    await wait();
    const stoppedAt = performance.now();
    const exitCode = await service.stop();
    const tookMs = performance.now() - stoppedAt;
    keepFigure({
      fault: `SIGTERM with ${CLIENTS} clients that have not read ${since}`,
      answeredMs: tookMs,
    });
    expect(exitCode).toBe(0);
    expect(tookMs).toBeLessThan(STOP_LIMIT_MS);
  });
});
