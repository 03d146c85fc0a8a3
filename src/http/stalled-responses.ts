import type { Socket } from 'node:net';
import { connectionKey, SendQueues } from './send-queues.js';

/** Quiet connections are looked at in one check of so many: the system's list is long on a busy machine. */
const QUIET_EVERY = 4;

/** How much of its responses a connection's client had taken at most, and since when it took no more. */
interface Progress {
  takenAtMost: number;
  sinceMs: number;
}

/** What a check found. */
export interface StallCheck {
  /** Connections that have taken nothing for the limit or longer. */
  readonly ended: readonly Socket[];
  /** Those that have taken nothing since the check before. */
  readonly stalled: readonly Socket[];
  /** Those that take what is sent, with the bytes that their client had taken at least. */
  readonly moving: ReadonlyMap<Socket, number>;
}

/** Finds the connections whose client takes no byte of a response that was sent. */
export class StalledResponses {
  readonly #sendQueues = new SendQueues();
  readonly #progress = new WeakMap<Socket, Progress>();
  /** Bytes written to a connection at the last check of quiet ones. */
  readonly #written = new WeakMap<Socket, number>();
  /** Bytes written to a connection when all of them had been taken. */
  readonly #taken = new WeakMap<Socket, number>();
  #nowMs = 0;
  #checks = 0;

  /**
   * Looks at every connection once.
   *
   * @param passedMs time since the last check.
   * @param isPipelined whether requests of a connection wait for their turn.
   */
  async check(
    sockets: readonly Socket[],
    passedMs: number,
    limitMs: number,
    isPipelined: (socket: Socket) => boolean,
  ): Promise<StallCheck> {
    this.#nowMs += passedMs;
    this.#checks += 1;
    const nowMs = this.#nowMs;
    const suspects = sockets.filter((socket) => this.#isSuspect(socket, isPipelined));
    const found = { ended: [] as Socket[], stalled: [] as Socket[] };
    const moving = new Map<Socket, number>();
    if (suspects.length === 0) return { ...found, moving };
    const before = suspects.map(handedToSystem);
    const queues = await this.#sendQueues.read();
    for (const [index, socket] of suspects.entries()) {
      const queued = queues.get(connectionKey(socket) ?? '') ?? 0;
      const handedBefore = before[index] ?? 0;
      const stalledMs = this.#stalledMs(socket, handedBefore, queued, nowMs);
      if (stalledMs >= limitMs) found.ended.push(socket);
      else if (stalledMs > 0) found.stalled.push(socket);
      else moving.set(socket, handedBefore - queued);
    }
    return { ...found, moving };
  }

  /**
   * A client that reads and sends one request after the other has what was written before the last check:
   * the system's queues are looked at only for others.
   */
  #isSuspect(socket: Socket, isPipelined: (socket: Socket) => boolean): boolean {
    if (socket.writableLength > 0 || this.#progress.has(socket) || isPipelined(socket)) return true;
    if (this.#checks % QUIET_EVERY !== 0) return false;
    const { bytesWritten } = socket;
    const isQuiet = this.#written.get(socket) === bytesWritten;
    this.#written.set(socket, bytesWritten);
    return isQuiet && bytesWritten > 0 && this.#taken.get(socket) !== bytesWritten;
  }

  #stalledMs(socket: Socket, handedBefore: number, queued: number, nowMs: number): number {
    if (queued === 0 && socket.writableLength === 0) {
      this.#progress.delete(socket);
      this.#taken.set(socket, socket.bytesWritten);
      return 0;
    }
    const progress = this.#progress.get(socket);
    // More may have been handed to the system while its queues were read, so this much was taken at least.
    if (progress && handedBefore - queued <= progress.takenAtMost) return nowMs - progress.sinceMs;
    this.#progress.set(socket, {
      takenAtMost: handedToSystem(socket) - queued,
      sinceMs: nowMs,
    });
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
