import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { readPostmasterFile } from '../src/cluster.js';

/**
 * The code of a worker that writes and removes the file in a loop until the worker is terminated.
 * The worker sends a message before it begins.
 */
const SERVER_THAT_COMES_AND_GOES = `
  const { rmSync, writeFileSync } = require('node:fs');
  const { parentPort, workerData } = require('node:worker_threads');
  parentPort.postMessage('begun');
  for (;;) {
    writeFileSync(workerData.file, workerData.text);
    rmSync(workerData.file);
  }
`;

describe('reading postmaster.pid', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(path.join(tmpdir(), 'deal-sets-postmaster-'))));
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  it('finds no server without a file', () => {
    expect(readPostmasterFile(directory)).toBeUndefined();
  });

  it('finds the whole server or none while PostgreSQL writes and removes the file', async () => {
    const file = path.join(directory, 'postmaster.pid');
    const text = `4711\n${directory}\n1700000000\n5433\n\n127.0.0.1\n1 1\nready\n`;
    const worker = new Worker(SERVER_THAT_COMES_AND_GOES, {
      eval: true,
      workerData: { file, text },
    });
    try {
      await once(worker, 'message');
      let found = 0;
      let missing = 0;
      while (found < 500 || missing < 500) {
        const server = readPostmasterFile(directory);
        if (server === undefined) missing += 1;
        else {
          found += 1;
          expect(server).toEqual({ pid: 4711, port: 5433, isReady: true });
        }
      }
    } finally {
      await worker.terminate();
    }
  });
});
