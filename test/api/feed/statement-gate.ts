import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

const TYPE_BYTES = 1;
const LENGTH_BYTES = 4;

/** Cuts what one side of a connection sends into the protocol's messages. */
class Messages {
  #rest = Buffer.alloc(0);

  /** @param isFirstTyped false for a client: its first message has no type. */
  constructor(private isFirstTyped: boolean) {}

  *in(bytes: Buffer): Generator<{ readonly type: string; readonly bytes: Buffer }> {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const typeBytes = this.isFirstTyped ? TYPE_BYTES : 0;
      if (this.#rest.length < typeBytes + LENGTH_BYTES) return;
      const end = typeBytes + this.#rest.readUInt32BE(typeBytes);
      if (this.#rest.length < end) return;
      const message = this.#rest.subarray(0, end);
      this.#rest = this.#rest.subarray(end);
      this.isFirstTyped = true;
      yield { type: message.toString('latin1', 0, typeBytes), bytes: message };
    }
  }
}

/**
 * A door between the service and its PostgreSQL. It can hold back one statement, the n-th of
 * those it looks out for, until the test lets it pass: so a test can do something at exactly that moment.
 * Statements may be sent together: the one before has ended when a statement is held.
 */
export class StatementGate {
  #names: readonly string[] = [];
  #remaining = 0;
  #onHeld: (() => void) | undefined;
  #pass: Promise<void> = Promise.resolve();
  #open: () => void = () => undefined;
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly server: Server,
    /** The database's address, through the gate. */
    readonly url: string,
  ) {}

  static async before(databaseUrl: string): Promise<StatementGate> {
    const target = new URL(databaseUrl);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const url = Object.assign(new URL(databaseUrl), { host: `127.0.0.1:${port}` }).href;
    const gate = new StatementGate(server, url);
    server.on('connection', (client) => gate.#join(client, target));
    return gate;
  }

  /** Holds the n-th run of the statements with these names; resolves once it is held. */
  holdNth(n: number, names: readonly string[]): Promise<void> {
    this.#names = names;
    this.#remaining = n;
    this.#pass = new Promise((resolve) => (this.#open = resolve));
    return new Promise((resolve) => (this.#onHeld = resolve));
  }

  release(): void {
    this.#open();
  }

  async close(): Promise<void> {
    this.release();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #join(client: Socket, target: URL): void {
    const database = connect(Number(target.port), target.hostname);
    for (const socket of [client, database]) {
      this.#sockets.add(socket);
      socket.setNoDelay();
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        database.destroy();
        this.#sockets.delete(socket);
      });
    }
    const [asked, answered] = [new Messages(false), new Messages(true)];
    // The server gets ready once for the start, and again for each Sync and simple query.
    let unanswered = 1;
    let onIdle: () => void = () => undefined;
    database.on('data', (bytes: Buffer) => {
      client.write(bytes);
      for (const { type } of answered.in(bytes)) {
        if (type === 'Z' && --unanswered === 0) onIdle();
      }
    });
    const idle = (): Promise<void> =>
      unanswered === 0 ? Promise.resolve() : new Promise((resolve) => (onIdle = resolve));
    let order: Promise<unknown> = Promise.resolve();
    client.on('data', (bytes: Buffer) => {
      for (const message of asked.in(bytes)) {
        order = order
          .then(() => (message.type === 'B' ? this.#wait(message.bytes, idle) : undefined))
          .then(() => {
            if (message.type === 'S' || message.type === 'Q') unanswered += 1;
            database.write(message.bytes);
          });
      }
    });
  }

  async #wait(bytes: Buffer, idle: () => Promise<void>): Promise<void> {
    const isSought = this.#remaining > 0 && this.#names.some((name) => bytes.includes(name));
    if (!isSought || --this.#remaining > 0) return;
    await idle();
    this.#onHeld?.();
    await this.#pass;
  }
}
