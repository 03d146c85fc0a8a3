import { once } from 'node:events';
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { TimeLimit } from './time-limit.js';

describe('a time limit', () => {
  it('is reached once, not before its time', async () => {
    const startedAt = performance.now();
    const reached = jest.fn(() => performance.now() - startedAt);
    new TimeLimit(20, reached);
    await sleep(60);
    expect(reached).toHaveBeenCalledTimes(1);
    expect(reached.mock.results[0]?.value).toBeGreaterThanOrEqual(19);
  });

  it.each([
    ['before its time', 5],
    ['when its time is up and the sockets are being read', 0],
  ])('is not reached once it is cancelled %s', async (_when, beforeMs) => {
    const reached = jest.fn();
    const limit = new TimeLimit(10, reached);
    setTimeout(() => limit.cancel(), 10 - beforeMs);
    await sleep(40);
    expect(reached).not.toHaveBeenCalled();
  });
});

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

  it('comes before the limit that passed meanwhile', async () => {
    const events: string[] = [];
    near.on('data', () => events.push('response'));
    new TimeLimit(20, () => events.push('limit'));
    far.write('here');
    // The thread waits: no turn of the event loop meanwhile.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60);
    await sleep(20);
    expect(events).toEqual(['response', 'limit']);
  });
});
