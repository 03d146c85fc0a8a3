import type { Socket } from 'node:net';
import type { Log } from '../observability/logger.js';
import type { Edge } from './edge.js';
import { refuse } from './refusal.js';

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/**
 * Answers what Node's HTTP parser could not read, and requests that never arrive whole. Each request has
 * one answer: what still waits on the connection goes out first, and a request that was answered before
 * its body ended is not answered again for what is wrong with that body.
 */
export class ParserErrors {
  readonly #refused = new WeakSet<Socket>();

  constructor(
    private readonly edge: Edge,
    private readonly log: Log,
  ) {}

  handle(error: Error & { code?: string }, socket: Socket): void {
    // The parser reports again for each chunk that arrives after the first error.
    if (this.#refused.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable || this.edge.isDiscarding(socket)) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
    this.#answerInTurn(socket, status);
  }

  #answerInTurn(socket: Socket, status: number): void {
    const last = this.edge.pendingOn(socket).at(-1);
    if (!last) {
      this.#refuse(socket, status);
      return;
    }
    last.once('close', () => {
      // Requests that were held back may have been let in by now.
      if (this.edge.pendingOn(socket).length > 0) this.#answerInTurn(socket, status);
      else if (!last.req.complete) socket.destroySoon();
      else if (socket.writable) this.#refuse(socket, status);
    });
  }

  #refuse(socket: Socket, status: number): void {
    const id = refuse(socket, status, 'invalid_request');
    this.log.info({ id, status, code: 'invalid_request' }, 'request refused');
  }
}
