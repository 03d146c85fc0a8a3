import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterTime, withTimeLimit } from '../../../src/kernel/time-limit.js';

/** Blocks the thread, so that the event loop does not run in the meantime. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

describe('a response that arrived while the event loop was busy', () => {
  let near: Socket;
  let far: Socket;
  beforeEach(async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const accepted = once(server, 'connection');
    near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    [far] = (await accepted) as [Socket];
    server.close();
  });
  afterEach(() => {
    near.destroy();
    far.destroy();
  });

  function respondWhileBusy(): void {
    far.write('here');
    block(60);
  }

  it('is handled before a callback whose time passed meanwhile', async () => {
    const events: string[] = [];
    near.on('data', () => events.push('response'));
    afterTime(20, () => events.push('limit'));
    respondWhileBusy();
    await sleep(20);
    expect(events).toEqual(['response', 'limit']);
  });

  it('becomes the result of work whose limit passed meanwhile', async () => {
    const work = withTimeLimit(20, undefined, () => once(near, 'data'));
    respondWhileBusy();
    expect(String(await work)).toBe('here');
  });
});
