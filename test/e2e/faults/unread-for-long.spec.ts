import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { keepFigure } from '../../setup/figures.js';
import type { RunningProcess } from '../../setup/start-process.js';
import { openUnreadingClients, startWithoutDatabase } from './unread-clients.js';

const CLIENTS = 1_000;
/** The aim on a machine with nothing else to do, and how much slower a busy one may be. */
const AIM_MS = 20_000;
const SLOWER = 3;

describe('a thousand clients that never read', () => {
  let service: RunningProcess;
  let sockets: Socket[] = [];

  beforeEach(async () => {
    service = await startWithoutDatabase();
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await service.stop('SIGKILL');
  });

  /** The log is the only place: a client that does not read does not notice the end. */
  const endedCount = (): number =>
    service
      .output()
      .split('\n')
      .filter((line) => line.includes('connections ended: responses not read'))
      .reduce((sum, line) => sum + (JSON.parse(line) as { connections: number }).connections, 0);

  it('are disconnected within the limit', async () => {
    const openedAt = performance.now();
    sockets = await openUnreadingClients(service, CLIENTS);
    let endedInTime = 0;
    while (endedCount() < CLIENTS) {
      const passedMs = performance.now() - openedAt;
      if (passedMs < AIM_MS) endedInTime = endedCount();
      if (passedMs > AIM_MS * SLOWER) break;
      await sleep(250);
    }
    keepFigure({
      fault: `${CLIENTS} clients that pipeline and never read`,
      answeredMs: performance.now() - openedAt,
      note: `connections left after ${AIM_MS / 1000} s: ${CLIENTS - endedInTime}`,
    });
    expect(endedCount()).toBe(CLIENTS);
  }, 120_000);
});
