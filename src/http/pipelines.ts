import type { RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import type { Edge } from './edge.js';

/** The requests of one connection. */
interface Pipeline {
  /** Requests that were let in and whose response is not out yet. */
  open: number;
  /** Requests that were parsed and not let in yet, oldest first. */
  readonly held: (() => void)[];
}

/**
 * Limits how many pipelined requests of one connection are in flight. The socket is paused while more
 * wait, so that the client's send buffer holds them. One read may still bring more requests than the
 * limit: these are held, and their deadline starts when they are let in, as if they were read only then.
 */
export class Pipelines {
  readonly #pipelines = new WeakMap<Socket, Pipeline>();

  /** @param limit requests of one connection that are in flight at once. */
  constructor(
    private readonly edge: Edge,
    private readonly limit: number,
  ) {}

  /** Wraps a listener so that it receives no more requests of a connection at once than the limit. */
  limited(listener: RequestListener): RequestListener {
    return (request, response) => {
      const { socket } = request;
      const pipeline = this.#pipelines.get(socket) ?? this.#begin(socket);
      const letIn = (): void => {
        pipeline.open += 1;
        response.once('close', () => this.#finished(socket, pipeline));
        listener(request, response);
      };
      if (pipeline.open < this.limit && pipeline.held.length === 0) {
        letIn();
      } else if (!this.edge.isStopping) {
        pipeline.held.push(letIn);
        socket.pause();
      }
    };
  }

  #begin(socket: Socket): Pipeline {
    const pipeline: Pipeline = { open: 0, held: [] };
    this.#pipelines.set(socket, pipeline);
    // Node resumes the socket after each response, to discard what is left of the request.
    socket.on('resume', () => {
      if (pipeline.held.length > 0) socket.pause();
    });
    return pipeline;
  }

  #finished(socket: Socket, pipeline: Pipeline): void {
    pipeline.open -= 1;
    const { held } = pipeline;
    if (held.length === 0) return;
    // A stop answers what was let in; the last of these responses has `Connection: close`, so the client
    // knows that the rest was not processed.
    if (socket.destroyed || this.edge.isStopping) held.length = 0;
    while (pipeline.open < this.limit) {
      const letIn = held.shift();
      if (!letIn) break;
      letIn();
    }
    if (held.length === 0) socket.resume();
  }
}
