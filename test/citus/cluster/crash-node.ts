import { setTimeout as sleep } from 'node:timers/promises';
import { readPostmasterFile } from '../../../src/embedded-postgres/postmaster-file.js';
import { eventually } from '../../setup/eventually.js';
import { citusBinaries } from './citus-binaries.js';
import { startNode, type CitusNode } from './citus-cluster.js';

/** Ends a node as a crash does: no transaction is finished, no connection is closed properly. */
export async function crashNode({ dataDirectory }: CitusNode): Promise<void> {
  const file = readPostmasterFile(dataDirectory)!;
  process.kill(file.pid, 'SIGQUIT');
  await eventually(() => expect(readPostmasterFile(dataDirectory)?.pid).not.toBe(file.pid));
  await sleep(200);
}

/** Starts it again on its data and its port, and waits until it takes connections. */
export async function restartNode({ dataDirectory, port }: CitusNode): Promise<void> {
  const binaries = citusBinaries();
  if ('missing' in binaries) throw new Error(binaries.missing);
  await startNode(binaries, dataDirectory, port);
}
