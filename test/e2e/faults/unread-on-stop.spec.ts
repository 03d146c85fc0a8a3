import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepFigure } from '../../setup/figures.js';
import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { portOf } from './fault-world.js';

const CLIENTS = 50;
/** Together far more than the system buffers of a connection hold (4 MB on a common Linux). */
const REQUESTS = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: service.example\r\n\r\n'.repeat(300);
/** 2 s without a byte taken, and what a busy machine needs to process what was let in before. */
const STOP_LIMIT_MS = 7_000;

describe('a stop with clients that never read', () => {
  let service: RunningProcess;
  let sockets: Socket[];

  beforeEach(async () => {
    sockets = [];
    service = await startProcess({
      env: { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none' },
      waitFor: 'spawn',
    });
    await listening();
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop('SIGKILL');
  });

  async function listening(): Promise<void> {
    while (!service.output().includes('"listening"')) await sleep(50);
  }

  async function open(): Promise<void> {
    sockets = Array.from({ length: CLIENTS }, () => {
      const socket = connect(portOf(service.baseUrl), '127.0.0.1');
      socket.on('error', () => undefined);
      socket.pause();
      return socket;
    });
    await Promise.all(sockets.map((socket) => once(socket, 'connect')));
    for (const socket of sockets) socket.write(REQUESTS);
  }

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
    await open();
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
