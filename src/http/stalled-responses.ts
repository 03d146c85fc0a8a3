import type { Socket } from 'node:net';

/** How far the responses of a connection have come, seen from one check to the next. */
interface Progress {
  completedBytes: number;
  queuedBytes: number;
  stalledMs: number;
}

/** Finds the connections whose client takes no byte of a response that waits to be sent. */
export class StalledResponses {
  readonly #progress = new WeakMap<Socket, Progress>();

  /**
   * Looks at every connection once.
   *
   * @param passedMs time since the last check.
   * @returns the connections that have taken nothing for `limitMs` or longer.
   */
  check(sockets: Iterable<Socket>, passedMs: number, limitMs: number): Socket[] {
    const stalled: Socket[] = [];
    for (const socket of sockets) {
      if (socket.writableLength === 0) {
        this.#progress.delete(socket);
      } else if (this.#stalledMs(socket, passedMs) >= limitMs) {
        stalled.push(socket);
      }
    }
    return stalled;
  }

  #stalledMs(socket: Socket, passedMs: number): number {
    const completedBytes = socket.bytesWritten - socket.writableLength;
    const queuedBytes = systemQueue(socket);
    const progress = this.#progress.get(socket);
    if (progress?.completedBytes === completedBytes && progress.queuedBytes === queuedBytes) {
      progress.stalledMs += passedMs;
      return progress.stalledMs;
    }
    this.#progress.set(socket, { completedBytes, queuedBytes, stalledMs: 0 });
    return 0;
  }
}

/**
 * Bytes of the current write that the system has not taken. Node documents only when a write is complete,
 * and a response is one write; its own socket timeout looks at the same figure.
 */
function systemQueue(socket: Socket): number {
  const { _handle: handle } = socket as { _handle?: { writeQueueSize?: number } | null };
  return handle?.writeQueueSize ?? 0;
}
