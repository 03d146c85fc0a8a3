import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * The first port of the range. The range is above the ports that browsers block and below the ports
 * that systems use for outgoing connections, which can become occupied at any moment.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_767;
const TRIES = 50;

/** Returns a random port from the range. The port may be in use. */
export const randomPort = (): number => randomInt(FIRST_PORT, LAST_PORT + 1);

/**
 * Returns a TCP port on 127.0.0.1 that was free when it was tested.
 *
 * @param draw returns a port to try.
 * @throws the error of the last attempt if none of 50 ports is free.
 */
export async function freePort(draw: () => number = randomPort): Promise<number> {
  for (let tries = 1; ; tries += 1) {
    const port = draw();
    const probe = createServer().listen(port, '127.0.0.1');
    try {
      await once(probe, 'listening');
      probe.close();
      await once(probe, 'close');
      return port;
    } catch (error) {
      if (tries === TRIES) throw error;
    }
  }
}
