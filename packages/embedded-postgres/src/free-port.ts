import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that systems give to outgoing connections: one of these may be taken by any connection before it
 * is listened on. Above those that browsers refuse.
 */
const FIRST_PORT = 15_000;
const LAST_PORT = 32_767;
const TRIES = 50;

/** A port that is worth a try. */
export const randomPort = (): number => randomInt(FIRST_PORT, LAST_PORT + 1);

/**
 * A TCP port on 127.0.0.1 that was free a moment ago.
 *
 * @param draw a port to try.
 * @throws what the last try failed with, when none of fifty is free.
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
