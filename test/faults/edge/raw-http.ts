import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** One answer as it stood on the wire. */
export interface RawAnswer {
  readonly status: number;
  /** Every header line; names in lower case. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export function header(answer: RawAnswer, name: string): string | undefined {
  return answer.headers.find(([key]) => key === name)?.[1];
}

/** A connection that speaks bytes. */
export class RawClient {
  #received = '';
  #isClosed = false;

  private constructor(readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => (this.#received += chunk));
    socket.on('close', () => (this.#isClosed = true));
    socket.on('error', () => undefined);
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1' });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  get received(): string {
    return this.#received;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  send(bytes: string | Buffer): void {
    if (!this.socket.destroyed) {
      this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    }
  }

  /** Resolves when `isTrue` holds; fails after `limitMs`. */
  async until(isTrue: () => boolean, limitMs = 10_000): Promise<void> {
    const end = Date.now() + limitMs;
    while (!isTrue()) {
      if (Date.now() > end)
        throw new Error(`nothing came; so far: ${JSON.stringify(this.#received)}`);
      await sleep(5);
    }
  }

  /** Waits for as many whole answers, to requests of these methods. */
  async answers(methods: readonly string[]): Promise<RawAnswer[]> {
    await this.until(() => parse(this.#received, methods).answers.length === methods.length);
    return parse(this.#received, methods).answers;
  }

  /** Bytes after the last whole answer: must be none. */
  rest(methods: readonly string[]): string {
    return parse(this.#received, methods).rest;
  }

  async closed(): Promise<void> {
    await this.until(() => this.#isClosed);
  }

  destroy(): void {
    this.socket.destroy();
  }
}

function parse(text: string, methods: readonly string[]): { answers: RawAnswer[]; rest: string } {
  const answers: RawAnswer[] = [];
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
    const bodyLength = method === 'HEAD' ? 0 : length;
    const body = rest.slice(headEnd + 4, headEnd + 4 + bodyLength);
    if (body.length < bodyLength) break;
    answers.push({ status, headers, body });
    rest = rest.slice(headEnd + 4 + bodyLength);
  }
  return { answers, rest };
}

export const LIST = '/api/v1/deal-sets';

/** A request line with a Host, and the given rest. */
export const send = (method: string, path: string, ...lines: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: localhost', ...lines, '', ''].join('\r\n');
export const get = (path: string, ...lines: string[]): string => send('GET', path, ...lines);
export const GOOD = get(LIST);

const CONSTANT_HEADERS: readonly (readonly [string, string])[] = [
  ['cache-control', 'private, no-store'],
  ['service-api-version', '2026-10-13'],
  ['x-content-type-options', 'nosniff'],
  ['cross-origin-resource-policy', 'same-origin'],
];

const FORBIDDEN_HEADERS =
  /^(etag|last-modified|set-cookie|x-powered-by|server|access-control-.*|transfer-encoding)$/;

/** Asserts what holds of every answer: contract headers once each, nothing of what has no place. */
export function expectContractAnswer(answer: RawAnswer, method = 'GET'): void {
  for (const [name, value] of CONSTANT_HEADERS) {
    expect(answer.headers.filter(([key]) => key === name)).toEqual([[name, value]]);
  }
  expect(header(answer, 'service-request-id')).toMatch(/^[0-9a-f-]{36}$/);
  expect(header(answer, 'content-type')).toMatch(/^application\/json(; charset=utf-8)?$/);
  const names = answer.headers.map(([name]) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => FORBIDDEN_HEADERS.test(name))).toEqual([]);
  if (method === 'HEAD') return;
  const body = JSON.parse(answer.body) as Record<string, unknown>;
  expect(Object.keys(body)).toEqual([answer.status === 200 ? 'data' : 'error']);
}

/** Asserts an error answer: the envelope with this code, and the headers that go with the code. */
export function expectError(answer: RawAnswer, status: number, code: string): void {
  expect(answer.status).toBe(status);
  expectContractAnswer(answer);
  const { error } = JSON.parse(answer.body) as { error: Record<string, unknown> };
  expect(error).toEqual({ code, message: expect.stringMatching(/\S/) as string });
  expect(header(answer, 'www-authenticate')).toBe(
    {
      unauthenticated: 'Bearer error="invalid_token"',
      insufficient_scope: 'Bearer error="insufficient_scope", scope="offers:read"',
    }[code],
  );
}
