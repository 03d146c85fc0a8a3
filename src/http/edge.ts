import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Injectable } from '@nestjs/common';
import { LinkedSet, type LinkedSetEntry } from '../kernel/linked-set.js';
import { sendError } from './error-response.js';
import { hasOneHost, hasUnknownTransferCoding } from './request-framing.js';
import { Requests } from './requests.js';

/** A response that is not out yet. */
interface InFlight {
  readonly response: ServerResponse;
  /** Kept here: Node takes the socket from a request whose body was given up half read. */
  readonly socket: Socket;
}

/**
 * Where every request of the standalone application enters, before routing, and where its response ends: begins
 * the request and keeps count of the responses that are not out.
 */
@Injectable()
export class Edge {
  readonly #inFlight = new LinkedSet<InFlight>();
  /** Sockets on which the body of a request is still arriving after its response, with that request. */
  readonly #unread = new WeakMap<Socket, IncomingMessage>();
  #isStopping = false;

  constructor(private readonly requests: Requests) {}

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Receives a request. One that must not reach a route gets its response here. */
  open(request: IncomingMessage, response: ServerResponse): void {
    this.requests.begin(request, response);
    if (this.#isStopping) response.setHeader('Connection', 'close');
    const { socket } = request;
    const entry = this.#inFlight.add({ response, socket });
    response.on('close', () => this.#close(entry));
    // A pipelined response has no socket while it waits, so it gets no `close` event.
    if (!response.socket) this.#closeWith(socket, entry);
    if (hasUnknownTransferCoding(request)) {
      response.setHeader('Connection', 'close');
      sendError(response, 'invalid_request');
    } else if (request.httpVersionMajor !== 1 || !hasOneHost(request)) {
      sendError(response, 'invalid_request');
    }
  }

  /** The unfinished responses of this socket, oldest first. */
  pendingOn(socket: Socket): ServerResponse[] {
    return this.#inFlight
      .values()
      .filter((inFlight) => inFlight.socket === socket)
      .map(({ response }) => response);
  }

  /** True while the body of a request that has its response is still read from this socket, to be discarded. */
  isDiscarding(socket: Socket): boolean {
    return this.#unread.get(socket)?.complete === false;
  }

  /** From now on every response closes its connection, those in progress included. */
  stop(): void {
    this.#isStopping = true;
    const newest = new Map(
      this.#inFlight.values().map(({ response, socket }) => [socket, response]),
    );
    for (const response of newest.values()) {
      if (!response.headersSent) response.setHeader('Connection', 'close');
    }
  }

  get inFlightCount(): number {
    return this.#inFlight.size;
  }

  #closeWith(socket: Socket, entry: LinkedSetEntry<InFlight>): void {
    socket.setMaxListeners(0);
    const onSocketClose = (): void => this.#close(entry);
    socket.once('close', onSocketClose);
    entry.value.response.once('close', () => socket.off('close', onSocketClose));
  }

  /** The response is sent, or the client has disconnected. */
  #close(entry: LinkedSetEntry<InFlight>): void {
    if (!this.#inFlight.delete(entry)) return;
    const { response, socket } = entry.value;
    const request = response.req;
    if (!request.complete) this.#unread.set(socket, request);
    this.requests.end(request, response);
  }
}
