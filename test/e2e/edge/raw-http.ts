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
