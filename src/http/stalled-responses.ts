import type { Socket } from 'node:net';
import { connectionKey, SendQueues } from './send-queues.js';

/** How much of its responses a connection's client had taken at most, and for how long it took no more. */
interface Progress {
  takenAtMost: number;
  stalledMs: number;
}

/** Finds the connections whose client takes no byte of a response that was sent. */
export class StalledResponses {
  readonly #sendQueues = new SendQueues();
  readonly #progress = new WeakMap<Socket, Progress>();
  /** Bytes written to a connection at the last check. */
  readonly #written = new WeakMap<Socket, number>();
  /** Bytes written to a connection when all of them had been taken. */
  readonly #taken = new WeakMap<Socket, number>();

  /**
   * Looks at every connection once.
   *
   * @param passedMs time since the last check.
   * @param isPipelined whether requests of a connection wait for their turn.
   * @returns the connections that have taken nothing for `limitMs` or longer.
   */
  async check(
    sockets: Iterable<Socket>,
    passedMs: number,
    limitMs: number,
    isPipelined: (socket: Socket) => boolean,
  ): Promise<Socket[]> {
    const suspects = [...sockets].filter((socket) => this.#isSuspect(socket, isPipelined));
    if (suspects.length === 0) return [];
    const before = suspects.map(handedToSystem);
    const queues = await this.#sendQueues.read();
    return suspects.filter((socket, index) => {
      const queued = queues.get(connectionKey(socket) ?? '') ?? 0;
      if (queued === 0 && socket.writableLength === 0) {
        this.#progress.delete(socket);
        this.#taken.set(socket, socket.bytesWritten);
        return false;
      }
      // More may have been handed to the system while its queues were read.
      const takenAtLeast = (before[index] ?? 0) - queued;
      const takenAtMost = handedToSystem(socket) - queued;
      return this.#stalledMs(socket, passedMs, takenAtLeast, takenAtMost) >= limitMs;
    });
  }

  /**
   * A client that reads and sends one request after the other has what was written before the last check:
   * the system's queues are looked at only for others.
   */
  #isSuspect(socket: Socket, isPipelined: (socket: Socket) => boolean): boolean {
    const { bytesWritten } = socket;
    const isQuiet = this.#written.get(socket) === bytesWritten;
    this.#written.set(socket, bytesWritten);
    if (socket.writableLength > 0 || isPipelined(socket)) return true;
    return isQuiet && bytesWritten > 0 && this.#taken.get(socket) !== bytesWritten;
  }

  #stalledMs(socket: Socket, passedMs: number, takenAtLeast: number, takenAtMost: number): number {
    const progress = this.#progress.get(socket);
    if (progress && takenAtLeast <= progress.takenAtMost) {
      progress.stalledMs += passedMs;
      return progress.stalledMs;
    }
    this.#progress.set(socket, { takenAtMost, stalledMs: 0 });
    return 0;
  }
}

/**
 * Bytes of a connection that the system has taken. Node documents only when a write is complete, and a
 * response is one write; its own socket timeout looks at the same figure.
 */
function handedToSystem(socket: Socket): number {
  const { _bytesDispatched: dispatched, _handle: handle } = socket as {
    _bytesDispatched?: number;
    _handle?: { writeQueueSize?: number } | null;
  };
  return (dispatched ?? 0) - (handle?.writeQueueSize ?? 0);
}
