import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server that serves an issuer's key set and can be made to fail. */
export class KeyServer {
  /** The current response; `publish` and `misbehave` replace it. */
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

  static async start(): Promise<KeyServer> {
    const server = new KeyServer();
    await server.listen(0);
    return server;
  }

  /** The port it listens on, or listened on before it was closed. */
  get port(): number {
    return this.#port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/keys`;
  }

  publish(...keys: object[]): void {
    this.answerText(JSON.stringify({ keys }));
  }

  answerText(text: string, status = 200, type = 'application/json'): void {
    this.#answer = (_request, response) =>
      response.writeHead(status, { 'content-type': type }).end(text);
  }

  misbehave(answer: RequestListener): void {
    this.#answer = answer;
  }

  async listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    if (!this.#server.listening) return;
    this.#server.close();
    await once(this.#server, 'close');
  }
}
