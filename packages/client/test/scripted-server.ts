import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Responds to one request. */
export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** One received request, and the time when it arrived. */
interface Received {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly at: number;
}

/**
 * A real HTTP server that responds to each request with the next handler, and with the last handler
 * once all are used.
 */
export class ScriptedServer {
  readonly received: Received[] = [];
  #script: Handler[] = [];

  readonly #server: Server = createServer((request, response) => {
    const { url, headers } = request;
    this.received.push({ url, headers, at: performance.now() });
    const handler = this.#script.length > 1 ? this.#script.shift() : this.#script[0];
    handler?.(request, response);
  });

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Begins a new script and clears the received requests. */
  answer(...handlers: Handler[]): void {
    this.#script = handlers;
    this.received.length = 0;
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Creates a server that runs as long as the suite. Also restores mocks after each test. */
export function scriptedServer(): ScriptedServer {
  const server = new ScriptedServer();
  beforeAll(() => server.start());
  afterEach(() => void jest.restoreAllMocks());
  afterAll(() => server.stop());
  return server;
}

/** Shortens the first three waits of the client's back-off to 0 ms in this test. */
export function withoutBackOff(): void {
  // The waits are 500 ms plus this factor of 500, 1,500 and 3,500 ms. Node warns of a negative wait.
  const random = jest.spyOn(Math, 'random');
  for (const factor of [-1, -1 / 3, -1 / 7]) random.mockReturnValueOnce(factor);
}

const REQUEST_ID = {
  'Service-Request-Id': 'request-1',
  'Service-API-Version': '2026-10-13',
};

/** Returns a handler that responds with a value as JSON. A string is sent unchanged. */
export function json(status: number, body: unknown, headers: Record<string, string> = {}): Handler {
  return (_request, response) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    response.writeHead(status, { 'Content-Type': 'application/json', ...REQUEST_ID, ...headers });
    response.end(text);
  };
}

/** Responds with an error of the service. */
export const failure = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
): Handler => json(status, { error: { code, message: 'For people.' } }, headers);

/** Responds with a page of a `since` call. */
export const page = (data: unknown[], asOf: string, more = false): Handler =>
  json(200, { data }, { 'Service-As-Of': asOf, 'Service-More': String(more) });

/** Responds with the active requests. */
export const list = (data: unknown[], more = false): Handler =>
  json(200, { data }, { 'Service-More': String(more) });

/** Sends only half a body. */
export const halfBody: Handler = (_request, response) =>
  void response.writeHead(200).write('{"data":');

/** Accepts the request and never responds. */
export const silence: Handler = () => undefined;

/** Sends the headers and half a body, then loses the connection. */
export const torn: Handler = (_request, response) => {
  response.writeHead(200, {
    ...REQUEST_ID,
    'Content-Length': '100',
    'Service-More': 'false',
    'Service-As-Of': time(0),
  });
  response.write('{"data":[');
  setTimeout(() => response.destroy(), 20);
};

/** Returns an ISO time; a larger number of seconds is a later time. */
export const time = (second: number): string =>
  new Date(Date.UTC(2026, 9, 14, 12, 0, second)).toISOString();

/** Builds the entry of a request to one dealership. */
export const single = (id: string, fields: Record<string, unknown> = {}): object => ({
  kind: 'single',
  id,
  car: { year: 2026, make: null, model: null, trim: null },
  dealerLabel: null,
  section: 'in_progress',
  lowestWrittenOtdCents: null,
  needsYou: 0,
  latestActivityAt: time(0),
  ...fields,
});

/** Builds the entry of a deal set. */
export const dealSet = (dealSetId: string, fields: Record<string, unknown> = {}): object => ({
  kind: 'deal_set',
  dealSetId,
  latestActivityAt: time(0),
  ...fields,
});
