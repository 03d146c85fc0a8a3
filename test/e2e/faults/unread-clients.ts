import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProcess, type RunningProcess } from '../../setup/start-process.js';
import { portOf } from './fault-world.js';

/** Together far more than the system buffers of a connection hold (4 MB on a common Linux). */
const REQUESTS = 'GET /api/v1/openapi.json HTTP/1.1\r\nHost: service.example\r\n\r\n'.repeat(300);

/** A service that listens; it needs no database for what these clients ask for. */
export async function startWithoutDatabase(): Promise<RunningProcess> {
  const service = await startProcess({
    env: { DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/none' },
    waitFor: 'spawn',
  });
  while (!service.output().includes('"listening"')) await sleep(50);
  return service;
}

/** Clients that pipeline requests and never read a response. The caller destroys their sockets. */
export async function openUnreadingClients(
  service: RunningProcess,
  count: number,
): Promise<Socket[]> {
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(portOf(service.baseUrl), '127.0.0.1');
    socket.on('error', () => undefined);
    socket.pause();
    return socket;
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) socket.write(REQUESTS);
  return sockets;
}
