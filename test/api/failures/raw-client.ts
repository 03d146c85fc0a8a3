import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { eventually } from '../../setup/eventually.js';

/** One response as it was received. */
export interface RawResponse {
  readonly status: number;
  /** Every header line; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export function header(response: RawResponse, name: string): string | undefined {
  return response.headers.find(([key]) => key === name)?.[1];
}

/** A connection that sends and receives raw bytes. */
export class RawClient {
  received = '';

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (this.received += chunk));
    socket.on('error', () => undefined);
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  send(bytes: string | Buffer): void {
    if (!this.socket.destroyed)
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /**
   * Waits for the responses to all requests so far, which had these methods; no further bytes may
   * follow.
   */
  async responses(...methods: readonly string[]): Promise<RawResponse[]> {
    await eventually(() =>
      expect([parse(this.received, methods).responses.length, this.received]).toEqual([
        methods.length,
        expect.anything(),
      ]),
    );
    const { responses, rest } = parse(this.received, methods);
    expect(rest).toBe('');
    return responses;
  }

  async closed(): Promise<void> {
    await eventually(() => expect(this.socket.closed).toBe(true));
  }
}

function parse(
  text: string,
  methods: readonly string[],
): { responses: RawResponse[]; rest: string } {
  const responses: RawResponse[] = [];
  let rest = text;
  for (const method of methods) {
    const headEnd = rest.indexOf('\r\n\r\n');
    if (headEnd === -1) break;
    const [statusLine = '', ...lines] = rest.slice(0, headEnd).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) [\w -]+$/.exec(statusLine)?.[1]);
    if (!status) throw new Error(`no status line: ${statusLine}`);
    const headers = lines.map((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 2)] as const;
    });
    const length = Number(headers.find(([name]) => name === 'content-length')?.[1] ?? NaN);
    if (!Number.isInteger(length)) throw new Error(`no Content-Length: ${rest.slice(0, headEnd)}`);
    const end = headEnd + 4 + (method === 'HEAD' ? 0 : length);
    if (rest.length < end) break;
    responses.push({ status, headers, body: rest.slice(headEnd + 4, end) });
    rest = rest.slice(end);
  }
  return { responses, rest };
}

const CONSTANT_HEADERS = {
  'cache-control': 'private, no-store',
  'service-api-version': '2026-10-13',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
};
const FORBIDDEN_HEADERS =
  /^(etag|last-modified|accept-ranges|set-cookie|x-powered-by|server|access-control-.*|transfer-encoding)$/;

/**
 * Asserts that a response of any content type has the contract's headers once each, and no
 * forbidden one.
 */
export function expectContractHeaders(response: RawResponse): void {
  expect(Object.fromEntries(response.headers)).toMatchObject({
    ...CONSTANT_HEADERS,
    'service-request-id': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
  });
  const names = response.headers.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => FORBIDDEN_HEADERS.test(name))).toEqual([]);
}

/**
 * Asserts what every JSON response has: the contract's headers, and data or an error as the body.
 */
export function expectContract(response: RawResponse, method = 'GET'): void {
  expectContractHeaders(response);
  expect(header(response, 'content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
  if (method === 'HEAD') return;
  const body = JSON.parse(response.body) as object;
  expect(Object.keys(body)[0]).toBe(response.status === 200 ? 'data' : 'error');
}

/**
 * Asserts an error response: the envelope with this code, and the headers that go with the code.
 */
export function expectError(response: RawResponse, status: number, code: string): void {
  expect(response.status).toBe(status);
  expectContract(response);
  const { error } = JSON.parse(response.body) as { error: object };
  expect(error).toEqual({ code, message: expect.stringMatching(/\S/) as string });
  expect(header(response, 'www-authenticate')).toBe(
    {
      unauthenticated: 'Bearer error="invalid_token"',
      insufficient_scope: 'Bearer error="insufficient_scope", scope="offers:read"',
    }[code],
  );
}
