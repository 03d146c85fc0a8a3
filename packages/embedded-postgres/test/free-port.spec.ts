import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { freePort } from '../src/free-port.js';

describe('a free port', () => {
  let other: Server;
  let taken: number;
  beforeEach(async () => {
    other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    taken = (other.address() as AddressInfo).port;
  });
  afterEach(() => other.close());

  it('is the first drawn port that nothing listens on', async () => {
    const free = await freePort();
    const draws = [taken, taken, free];
    expect(await freePort(() => draws.shift() ?? 0)).toBe(free);
  });

  it('is searched for a limited number of times', async () => {
    const draw = jest.fn(() => taken);
    await expect(freePort(draw)).rejects.toMatchObject({ code: 'EADDRINUSE' });
    expect(draw).toHaveBeenCalledTimes(50);
  });

  it('is never in the range for outgoing connections', async () => {
    for (let again = 0; again < 20; again += 1) expect(await freePort()).toBeLessThan(32_768);
  });
});
