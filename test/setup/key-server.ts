import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real HTTP server in the place of an issuer's key set, which can be made to misbehave. */
export class KeyServer {
  /** What it answers; replaced by `publish` and `misbehave`. */
  #answer: RequestListener = (_request, response) => response.writeHead(404).end();
  readonly #server: Server;
  #port = 0;
  /** How often it was asked. */
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

/** Key-set faults, as an issuer, a proxy or a network brings them about. */
export const KEY_SET_FAULTS: Readonly<Record<string, (server: KeyServer) => void | Promise<void>>> =
  {
    'answers 500': (server) => server.answerText('{"keys":[]}', 500),
    'answers 404': (server) => server.answerText('not here', 404),
    redirects: (server) =>
      server.misbehave((_request, response) =>
        response.writeHead(302, { location: '/elsewhere' }).end(),
      ),
    'answers HTML': (server) =>
      server.answerText('<html>Sign in to the network</html>', 200, 'text/html'),
    'answers half of the JSON': (server) => server.answerText('{"keys":[{"kty":"EC"'),
    'answers JSON that is no key set': (server) => server.answerText('{"jwks":[]}'),
    'answers null': (server) => server.answerText('null'),
    'answers an empty key set': (server) => server.publish(),
    'answers encryption keys alone': (server) =>
      server.publish({ kty: 'RSA', use: 'enc', kid: 'e', n: 'AQAB', e: 'AQAB' }),
    'answers symmetric keys alone': (server) =>
      server.publish({ kty: 'oct', kid: 'k', k: 'c2VjcmV0' }),
    'answers far too much': (server) =>
      server.answerText(JSON.stringify({ keys: [], pad: 'x'.repeat(200_000) })),
    'never answers': (server) => server.misbehave(() => undefined),
    'drips its answer': (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        const drip = setInterval(() => response.write(' '), 100);
        response.on('close', () => clearInterval(drip));
      }),
    'breaks off the connection': (server) =>
      server.misbehave((request) => request.socket.destroy()),
    'promises more than it sends': (server) =>
      server.misbehave((_request, response) => {
        response.writeHead(200, { 'content-length': '1000' });
        response.write('{"keys":[]}', () => response.destroy());
      }),
    'refuses connections': (server) => server.close(),
  };
