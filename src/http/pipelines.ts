import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { performance } from 'node:perf_hooks';
import type { Edge } from './edge.js';
import type { HttpLimits } from './edge-server.js';
import type { Log } from '../observability/logger.js';

/** How many held requests are let in, of all connections together, before the event loop goes on. */
const TURNS_AT_ONCE = 16;
/** They are fewer when they take longer: the system gives Node one new connection each time it goes on. */
const TURNS_MS = 2;

type PipelineLimits = Pick<HttpLimits, 'maxPipelined' | 'maxHeld' | 'maxUntakenBytes'>;

/** The requests of one connection. */
interface Pipeline {
  /** Requests that were let in and whose response is not out yet. */
  open: number;
  /** Requests that were parsed and not let in yet, oldest first. */
  readonly held: (() => void)[];
  /** True while the next held request waits for its turn. */
  hasTurn: boolean;
  /** True while the client does not take what was sent: nothing more is worked on for it. */
  isStalled: boolean;
  /** Bytes of all that was written to the connection that its client is known to have taken. */
  takenBytes: number;
}

/**
 * Limits how many pipelined requests of one connection are in flight. The socket is paused while more
 * wait, so that the client's send buffer holds them. One read may still bring more requests than the
 * limit: these are held, and their deadline starts when they are let in, as if they were read only then.
 *
 * Those that are held are limited over all connections too: where they are more, the connection that holds the
 * most is ended.
 *
 * A held request also waits while much of the earlier responses may still be on its way: the system takes
 * megabytes for a client that does not read, and each response costs the process time.
 *
 * A request that comes behind another of its connection is let in on a later turn of the event loop, and
 * the connections take turns. Let in at once, reads full of cheap requests would be processed in one go,
 * and signals, timers and other clients would wait for them.
 */
export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();
  /** Connections whose next held request may be let in, in the order of their turns. */
  #turns: (() => void)[] = [];
  /** Connections with held requests. */
  readonly #holding = new Map<Socket, Pipeline>();
  /** Held requests of all connections. */
  #heldCount = 0;

  #onWaiting: (() => void) | undefined;

  constructor(
    private readonly edge: Edge,
    private readonly limits: PipelineLimits,
    private readonly log: Log,
  ) {}

  /** @param listener called when held requests wait until `release` says that the client reads. */
  onWaiting(listener: () => void): void {
    this.#onWaiting = listener;
  }

  /** Wraps a listener so that it receives no more requests of a connection at once than the limit. */
  limited(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      // The rest of the read that got a connection ended.
      if (socket.destroyed) return;
      const pipeline = this.#pipelines.get(socket) ?? this.#begin(socket);
      const letIn = (): void => {
        pipeline.open += 1;
        response.once('close', () => this.#finished(socket, pipeline));
        listener(request, response);
      };
      if (pipeline.open === 0 && pipeline.held.length === 0) {
        letIn();
      } else if (!this.edge.isStopping) {
        this.#hold(socket, pipeline, letIn);
      }
    };
  }

  /** True while requests of this connection wait to be let in. */
  isHolding(socket: Socket): boolean {
    return (this.#pipelines.get(socket)?.held.length ?? 0) > 0;
  }

  /** Lets no more held requests of a connection in: its client takes no responses. */
  hold(socket: Socket): void {
    const pipeline = this.#pipelines.get(socket);
    if (pipeline) pipeline.isStalled = true;
  }

  /**
   * The client takes what is sent: undoes `hold`, and lets more requests in.
   *
   * @param takenBytes what it has taken of all that was written to the connection.
   */
  release(socket: Socket, takenBytes: number): void {
    const pipeline = this.#pipelines.get(socket);
    if (!pipeline) return;
    pipeline.isStalled = false;
    pipeline.takenBytes = Math.max(pipeline.takenBytes, takenBytes);
    this.#awaitTurn(socket, pipeline);
  }

  #begin(socket: Socket): Pipeline {
    const pipeline: Pipeline = {
      open: 0,
      held: [],
      hasTurn: false,
      isStalled: false,
      takenBytes: 0,
    };
    this.#pipelines.set(socket, pipeline);
    // Node resumes the socket after each response, to discard what is left of the request.
    socket.on('resume', () => {
      if (pipeline.held.length > 0) socket.pause();
    });
    socket.once('close', () => this.#drop(socket, pipeline));
    return pipeline;
  }

  #hold(socket: Socket, pipeline: Pipeline, letIn: () => void): void {
    pipeline.held.push(letIn);
    this.#holding.set(socket, pipeline);
    this.#heldCount += 1;
    socket.pause();
    this.#awaitTurn(socket, pipeline);
    if (this.#heldCount > this.limits.maxHeld) this.#endLongest();
  }

  /** Ends the connection that holds the most: one that pipelines a few requests is kept. */
  #endLongest(): void {
    const all = [...this.#holding];
    const most = Math.max(...all.map(([, { held }]) => held.length));
    const [socket, pipeline] = all.find(([, { held }]) => held.length === most) ?? [];
    if (!socket || !pipeline) return;
    this.#drop(socket, pipeline);
    socket.resetAndDestroy();
    this.log.warn({ held: most }, 'connection ended: too many pipelined requests');
  }

  #drop(socket: Socket, pipeline: Pipeline): void {
    this.#takeOut(socket, pipeline, 0, pipeline.held.length);
  }

  /** Takes requests out of those that are held. */
  #takeOut(
    socket: Socket,
    pipeline: Pipeline,
    from: number,
    count: number,
  ): readonly (() => void)[] {
    const taken = pipeline.held.splice(from, count);
    this.#heldCount -= taken.length;
    if (pipeline.held.length === 0) this.#holding.delete(socket);
    return taken;
  }

  #finished(socket: Socket, pipeline: Pipeline): void {
    pipeline.open -= 1;
    this.#awaitTurn(socket, pipeline);
  }

  #awaitTurn(socket: Socket, pipeline: Pipeline): void {
    if (pipeline.hasTurn || pipeline.held.length === 0 || pipeline.open >= this.limits.maxPipelined)
      return;
    if (pipeline.isStalled) return;
    if (socket.bytesWritten - pipeline.takenBytes >= this.limits.maxUntakenBytes) {
      this.#onWaiting?.();
      return;
    }
    pipeline.hasTurn = true;
    if (this.#turns.length === 0) setImmediate(() => this.#runTurns());
    this.#turns.push(() => {
      pipeline.hasTurn = false;
      this.#takeTurn(socket, pipeline);
    });
  }

  #runTurns(): void {
    const until = performance.now() + TURNS_MS;
    const turns = this.#turns;
    this.#turns = [];
    let taken = 0;
    do turns[taken]?.();
    while (++taken < TURNS_AT_ONCE && performance.now() < until);
    const later = turns.slice(taken);
    // What the turns above added comes last, and has scheduled the next run.
    if (this.#turns.length === 0 && later.length > 0) setImmediate(() => this.#runTurns());
    this.#turns = later.concat(this.#turns);
  }

  #takeTurn(socket: Socket, pipeline: Pipeline): void {
    const { held } = pipeline;
    if (!socket.writable) this.#drop(socket, pipeline);
    // A shutdown finishes the accepted requests, or accepts one more where all are finished. The last response then has
    // `Connection: close`, so the client knows that the rest was not processed.
    else if (this.edge.isStopping) {
      this.#takeOut(socket, pipeline, pipeline.open === 0 ? 1 : 0, held.length);
    }
    const [letIn] = this.#takeOut(socket, pipeline, 0, 1);
    letIn?.();
    if (held.length === 0) socket.resume();
    else this.#awaitTurn(socket, pipeline);
  }
}
