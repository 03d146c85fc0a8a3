import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A wire to PostgreSQL that counts how often a client waited for the server: its `Sync` and `Query` messages. */
export class RoundTrips {
  count = 0;
  readonly #sockets = new Set<Socket>();

  private constructor(private readonly server: ReturnType<typeof createServer>) {}

  static async start(target: URL): Promise<RoundTrips> {
    const server = createServer();
    const trips = new RoundTrips(server);
    server.on('connection', (client: Socket) => {
      const upstream = connect(Number(target.port), target.hostname);
      for (const socket of [client, upstream]) {
        trips.#sockets.add(socket.setNoDelay());
        socket.on('error', () => undefined);
      }
      let pending = Buffer.alloc(0);
      let isStarted = false;
      client.on('data', (chunk: Buffer) => {
        pending = Buffer.concat([pending, chunk]);
        // The first message has no type; every other is a type, a length that includes itself, and a body.
        for (;;) {
          const head = isStarted ? 1 : 0;
          if (pending.length < head + 4) break;
          const length = head + pending.readUInt32BE(head);
          if (pending.length < length) break;
          const type = String.fromCharCode(pending[0] ?? 0);
          if (isStarted && (type === 'S' || type === 'Q')) trips.count += 1;
          isStarted = true;
          pending = pending.subarray(length);
        }
      });
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return trips;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** How many round trips the work takes. */
  async during(work: () => Promise<unknown>): Promise<number> {
    const before = this.count;
    await work();
    return this.count - before;
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }
}
