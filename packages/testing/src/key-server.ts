import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server that serves an issuer's key set and can be made to fail. */
export class KeyServer {
  /** Sends the current response; `publish`, `answerText` and `misbehave` replace it. */
  #answer: RequestListener = (_request, response) => response.writeHead(404).end();
  readonly #server: Server;
  #port = 0;
  /** The number of requests so far. */
  requests = 0;

  private constructor() {
    this.#server = createServer((request, response) => {
      this.requests += 1;
      this.#answer(request, response);
    });
  }

  /** Starts a server on a free port of 127.0.0.1. It responds with 404 until a response is set. */
  static async start(): Promise<KeyServer> {
    const server = new KeyServer();
    await server.listen(0);
    return server;
  }

  /** The port that the server listens on, or listened on before it was closed. */
  get port(): number {
    return this.#port;
  }

  /** The address of the key set. */
  get url(): string {
    return `http://127.0.0.1:${this.port}/keys`;
  }

  /** Serves these keys, as JWKs, from now on. */
  publish(...keys: object[]): void {
    this.answerText(JSON.stringify({ keys }));
  }

  /** Serves this text from now on. */
  answerText(text: string, status = 200, type = 'application/json'): void {
    this.#answer = (_request, response) =>
      response.writeHead(status, { 'content-type': type }).end(text);
  }

  /** Passes every request to this listener from now on. */
  misbehave(answer: RequestListener): void {
    this.#answer = answer;
  }

  /** Listens on the port, for example again after `close`. */
  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Closes the server and its connections. */
  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}
