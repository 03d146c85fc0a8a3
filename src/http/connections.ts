import { Server as NetServer, type Socket } from 'node:net';
import type { Server } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { LinkedSet } from '../kernel/linked-set.js';
import { Log } from '../observability/logger.js';
import { Edge } from './edge.js';
import type { HttpLimits } from './edge-server.js';
import type { Pipelines } from './pipelines.js';
import { StalledResponses } from './stalled-responses.js';

type StallLimits = Pick<HttpLimits, 'stalledResponseMs' | 'stalledResponseOnStopMs'>;

/**
 * How long idle connections are kept when stopping. A client that just got a response may have sent the
 * next request already; it gets a response with `Connection: close` instead of a reset.
 */
const QUIET_MS = 250;
/**
 * They are kept in steps: a process that was held up reads, between two steps, what arrived meanwhile,
 * before it takes a connection for idle.
 */
const QUIET_STEPS = 10;
/** How many checks for stalled responses there are in the time that a response may stall. */
const STALL_CHECKS = 30;
/** A check that is late counts as so many steps at most. */
const LATEST_CHECK = 4;
/**
 * A check comes early when pipelined requests wait for it: after so long, and after twice the time each
 * further time that no client has taken anything.
 */
const EARLY_CHECK_MS = 10;
/** The time between two early checks is at least so many times what a check takes. */
const EARLY_CHECK_REST = 10;

/** The open connections, and how they end when the service stops. */
@Injectable()
export class Connections implements BeforeApplicationShutdown {
  readonly #sockets = new LinkedSet<Socket>();
  readonly #stalled = new StalledResponses();
  #server: Server | undefined;
  #limits: StallLimits | undefined;
  #pipelines: Pipelines | undefined;
  #stallCheck: NodeJS.Timeout | undefined;
  #check: (() => void) | undefined;
  #isCheckDue = false;
  #earlyCheckMs = EARLY_CHECK_MS;
  #stepMs = 0;
  #drained: Promise<void> | undefined;

  constructor(
    private readonly edge: Edge,
    private readonly log: Log,
  ) {}

  /** Follows the server's connections, and ends those whose client does not read its responses. */
  watch(server: Server, limits: StallLimits, pipelines: Pipelines): void {
    this.#server = server;
    this.#limits = limits;
    this.#pipelines = pipelines;
    pipelines.onWaiting(() => this.#checkEarly());
    server.once('listening', () => this.#endStalledEvery(limits.stalledResponseMs));
    server.on('connection', (socket) => {
      const entry = this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(entry));
    });
  }

  /** Nest calls it before it closes the server, and long before pools and stores close. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.drain();
  }

  /**
   * Stops listening, lets accepted requests finish and closes every connection. Resolves when the last
   * one is closed. Safe to call again.
   */
  drain(): Promise<void> {
    this.#drained ??= this.#drain();
    return this.#drained;
  }

  async #drain(): Promise<void> {
    this.edge.stop();
    const server = this.#server;
    if (!server?.listening) return;
    this.log.info(
      { connections: this.#sockets.size, inFlight: this.edge.inFlightCount },
      'stopping: no new connections',
    );
    // Node's own `close` of an HTTP server would cut idle connections at once.
    const closed = new Promise<void>((resolve) => {
      NetServer.prototype.close.call(server, () => resolve());
    });
    if (this.#limits) this.#endStalledEvery(this.#limits.stalledResponseOnStopMs);
    void this.#closeIdleLater();
    await closed;
    clearInterval(this.#stallCheck);
  }

  #endStalledEvery(limitMs: number): void {
    clearInterval(this.#stallCheck);
    const stepMs = limitMs / STALL_CHECKS;
    this.#stepMs = stepMs;
    let checkedAt = performance.now();
    let isChecking = false;
    this.#check = (): void => {
      if (isChecking) return;
      const now = performance.now();
      // A process that was held up for long has not seen yet what its clients took meanwhile.
      const passedMs = Math.min(now - checkedAt, stepMs * LATEST_CHECK);
      checkedAt = now;
      isChecking = true;
      void this.#endStalled(passedMs, limitMs).finally(() => (isChecking = false));
    };
    this.#stallCheck = setInterval(this.#check, stepMs).unref();
  }

  #checkEarly(): void {
    if (this.#isCheckDue) return;
    this.#isCheckDue = true;
    setTimeout(() => {
      this.#isCheckDue = false;
      this.#earlyCheckMs = Math.min(this.#earlyCheckMs * 2, this.#stepMs);
      this.#check?.();
    }, this.#earlyCheckMs).unref();
  }

  async #endStalled(passedMs: number, limitMs: number): Promise<void> {
    const pipelines = this.#pipelines;
    const isPipelined = (socket: Socket): boolean => pipelines?.isHolding(socket) ?? false;
    const begunAt = performance.now();
    const sockets = this.#sockets.values();
    const found = await this.#stalled.check(sockets, passedMs, limitMs, isPipelined);
    for (const socket of found.stalled) pipelines?.hold(socket);
    if (found.moving.size > 0) {
      const tookMs = performance.now() - begunAt;
      this.#earlyCheckMs = Math.max(EARLY_CHECK_MS, tookMs * EARLY_CHECK_REST);
    }
    for (const [socket, takenBytes] of found.moving) pipelines?.release(socket, takenBytes);
    if (found.stalled.some(isPipelined)) this.#checkEarly();
    const stalled = found.ended;
    if (stalled.length === 0) return;
    // A reset frees the system's send buffers at once. After a normal close the system would go on
    // offering their contents for minutes.
    for (const socket of stalled) socket.resetAndDestroy();
    this.log.warn({ connections: stalled.length }, 'connections ended: responses not read');
  }

  async #closeIdleLater(): Promise<void> {
    for (let step = 0; step < QUIET_STEPS; step += 1) {
      await delay(QUIET_MS / QUIET_STEPS, undefined, { ref: false });
    }
    this.#closeIdle();
  }

  #closeIdle(): void {
    for (const socket of this.#sockets.values()) {
      const last = this.edge.pendingOn(socket).at(-1);
      if (last) {
        last.once('close', () => socket.destroySoon());
      } else if (!this.#pipelines?.isHolding(socket)) {
        // One whose requests wait gets a last response when its client reads, or ends for not reading.
        socket.destroy();
      }
    }
  }
}
