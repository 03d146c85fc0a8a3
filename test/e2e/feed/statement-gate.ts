import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A door between the service and its PostgreSQL. It can hold back one statement, the n-th of
 * those it looks out for, until the test lets it pass: so a test can do something at exactly that moment.
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

  /** Holds the n-th message that carries one of the names; resolves once it is held. */
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
    database.pipe(client);
    let order: Promise<unknown> = Promise.resolve();
    client.on('data', (bytes: Buffer) => {
      order = order.then(() => this.#wait(bytes)).then(() => database.write(bytes));
    });
  }

  async #wait(bytes: Buffer): Promise<void> {
    const isSought = this.#remaining > 0 && this.#names.some((name) => bytes.includes(name));
    if (!isSought || --this.#remaining > 0) return;
    this.#onHeld?.();
    await this.#pass;
  }
}
