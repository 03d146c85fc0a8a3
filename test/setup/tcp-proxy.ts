import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A wire between the service and a server, which a test can cut. */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  readonly #stranded = new WeakSet<Socket>();
  #isPartitioned = false;

  private constructor(
    private readonly server: Server,
    /** Port on 127.0.0.1 of the server behind; it may change, as when that was restarted. */
    public target: number,
  ) {}

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    const proxy = new TcpProxy(server, target);
    server.on('connection', (socket) => proxy.#pass(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /** Nothing passes any more, in either direction, and nobody is told. */
  partition(): void {
    this.#isPartitioned = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** The connections there are go silent for good, as when a router forgets them; new ones work. */
  strand(): void {
    for (const socket of this.#sockets) {
      socket.pause();
      this.#stranded.add(socket);
    }
  }

  /** What was held back passes. */
  heal(): void {
    this.#isPartitioned = false;
    for (const socket of this.#sockets) if (!this.#stranded.has(socket)) socket.resume();
  }

  /** Closes every connection; new ones may be made. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #pass(near: Socket): void {
    const far = connect(this.target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.setNoDelay(true);
      from.on('data', (data) => to.write(data));
      from.on('end', () => to.end());
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isPartitioned) from.pause();
    }
  }
}
