import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems use for outgoing connections, which may be taken at any moment, and
 * above those that browsers block.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_767;
const TRIES = 50;

/** A port that is worth a try. */
export const randomPort = (): number => randomInt(FIRST_PORT, LAST_PORT + 1);

/**
 * Returns a TCP port on 127.0.0.1 that was free a moment ago.
 *
 * @param draw returns a port to try.
 * @throws the error of the last try, when none of fifty is free.
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
