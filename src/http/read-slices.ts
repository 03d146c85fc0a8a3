import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Pipelines } from './pipelines.js';

/** A request's head fits into one or two as a rule; of the shortest requests some dozens fit into one. */
const SLICE_BYTES = 1_024;
const NOTHING: Buffer = Buffer.alloc(0);

/**
 * Gives the bytes of a connection to the HTTP parser in slices, and keeps the rest while requests wait to be
 * let in. The parser reads what it is given to the end: a read of 64 kB that is full of pipelined requests would
 * become a thousand requests at once, each with its objects, long before the first of them has its response.
 *
 * @returns the bytes of the current read that came before the slice that is being parsed.
 */
export function parseInSlices(
  server: Server,
  pipelines: Pick<Pipelines, 'isHolding'>,
): () => Buffer {
  let before = NOTHING;
  server.on('connection', (socket) => {
    // Node's own listener. It waits unused while the parser reads from the system directly; another listener ends that.
    const [parse] = socket.listeners('data') as ((bytes: Buffer) => void)[];
    if (!parse) return;
    socket.off('data', parse);
    socket.on('data', (bytes: Buffer) => {
      for (let fed = 0; fed < bytes.length && canParse(socket); fed += SLICE_BYTES) {
        if (fed > 0 && pipelines.isHolding(socket)) {
          // Node resumes the socket after each request that it has parsed.
          socket.pause();
          socket.unshift(bytes.subarray(fed));
          break;
        }
        before = fed === 0 ? NOTHING : bytes.subarray(0, fed);
        parse(bytes.subarray(fed, fed + SLICE_BYTES));
      }
      before = NOTHING;
    });
  });
  return () => before;
}

/** False once the parser no longer serves this connection; then it may serve another. */
function canParse(socket: Socket & { parser?: unknown }): boolean {
  return !socket.destroyed && socket.parser !== null;
}
