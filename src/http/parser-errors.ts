import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../observability/logger.js';
import type { Edge } from './edge.js';
import type { Pipelines } from './pipelines.js';
import { sendRawError } from './raw-response.js';

const HEAD_END_LENGTH = 4;
/** How often a connection is looked at whose requests wait to be let in before it gets its last response. */
const HELD_CHECK_MS = 5;

const STATUS_BY_CODE: Readonly<Record<string, number>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 408,
  HPE_HEADER_OVERFLOW: 431,
};

/** What Node reports of bytes that its parser could not read. */
export interface ParserError extends Error {
  readonly code?: string;
  /** The bytes that the parser was given last; absent for a time-out. */
  readonly rawPacket?: Buffer;
  /** How many of them the parser had read. */
  readonly bytesParsed?: number;
}

/**
 * Responds to input that Node's HTTP parser rejects, and to requests that never arrive whole. Each request
 * gets one response: earlier responses of the connection go out first, and a request that has its response
 * before its body ended gets no second one for an error in that body.
 */
export class ParserErrors {
  readonly #refused = new WeakSet<Socket>();

  constructor(
    private readonly edge: Edge,
    private readonly pipelines: Pipelines,
    private readonly log: Log,
    private readonly readBefore: () => Buffer,
  ) {}

  handle(error: ParserError, socket: Socket): void {
    // The parser reports again for each chunk that arrives after the first error.
    if (this.#refused.has(socket)) return;
    if (error.code === 'ECONNRESET' || !socket.writable || this.edge.isDiscarding(socket)) {
      socket.destroy();
      return;
    }
    this.#refused.add(socket);
    const status = STATUS_BY_CODE[error.code ?? ''] ?? 400;
    this.#answerInTurn(socket, status, isHeadRequest(error, this.readBefore()));
  }

  #answerInTurn(socket: Socket, status: number, isHead: boolean): void {
    if (socket.destroyed) return;
    const last = this.edge.pendingOn(socket).at(-1);
    if (last) {
      last.once('close', () => this.#answerAfter(last, socket, status, isHead));
    } else if (this.pipelines.isHolding(socket)) {
      setTimeout(() => this.#answerInTurn(socket, status, isHead), HELD_CHECK_MS);
    } else {
      this.#sendRawError(socket, status, isHead);
    }
  }

  #answerAfter(last: ServerResponse, socket: Socket, status: number, isHead: boolean): void {
    // Requests that were held back may have been let in by now, or wait for it.
    if (this.edge.pendingOn(socket).length > 0 || this.pipelines.isHolding(socket))
      this.#answerInTurn(socket, status, isHead);
    else if (!last.req.complete) socket.destroySoon();
    else if (socket.writable) this.#sendRawError(socket, status, isHead);
  }

  #sendRawError(socket: Socket, status: number, isHead: boolean): void {
    const id = sendRawError(socket, status, 'invalid_request', isHead);
    this.log.info({ id, status, code: 'invalid_request' }, 'request refused');
  }
}

/**
 * Whether the unreadable head is that of a HEAD request. The parser does not report the method of a head
 * that it could not finish, so the request line is looked for in the last read, behind the last request
 * that was read whole. A head that came in several reads is answered with a body: the connection closes
 * after it either way.
 */
function isHeadRequest({ rawPacket, bytesParsed = 0 }: ParserError, before: Buffer): boolean {
  if (!rawPacket) return false;
  const read = Buffer.concat([before, rawPacket]);
  const parsed = before.length + bytesParsed;
  const start = read.lastIndexOf('\r\n\r\n', Math.max(0, parsed - HEAD_END_LENGTH));
  const from = start === -1 ? 0 : start + HEAD_END_LENGTH;
  return read.subarray(from, from + 5).toString('latin1') === 'HEAD ';
}
