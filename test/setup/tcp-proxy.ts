import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/**
 * A proxy between the service and a server, which a test can cut, hold, slow down or split. The
 * effect of a fault on a connection is permanent, as on a real network: after `heal`, new
 * connections work.
 */
export class TcpProxy {
  readonly #sockets = new Set<Socket>();
  readonly #forgotten = new WeakSet<Socket>();
  #isPartitioned = false;
  #isBlackhole = false;
  #isSilent = false;
  #delayMs = 0;
  #sliceBytes = 0;
  #cutAfterBytes = Infinity;
  #acceptedCount = 0;

  private constructor(
    private readonly server: Server,
    /** Port on 127.0.0.1 of the server; it may change when the server is restarted. */
    public target: number,
    readonly port: number,
  ) {}

  static async start(target: number): Promise<TcpProxy> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const proxy = new TcpProxy(server, target, (server.address() as AddressInfo).port);
    server.on('connection', (socket) => proxy.#connect(socket));
    return proxy;
  }

  /** The number of connections that were ever made. */
  get acceptedCount(): number {
    return this.#acceptedCount;
  }

  /** The number of open connections on the service's side. */
  get openCount(): number {
    return [...this.#sockets].filter((socket) => socket.localPort === this.port).length;
  }

  /**
   * Passes nothing on, in either direction, without an error. What is sent meanwhile is held back.
   */
  partition(): void {
    this.#isPartitioned = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /**
   * Like `partition`, but what is sent is lost for good, and so are the connections on which it was
   * sent.
   */
  blackhole(): void {
    this.#isBlackhole = true;
    this.forgetConnections();
  }

  /** Holds the open connections back until `heal`; new ones work. */
  hold(): void {
    for (const socket of this.#sockets) socket.pause();
  }

  /** Silences the open connections for good, as when a router forgets them; new ones work. */
  forgetConnections(): void {
    for (const socket of this.#sockets) this.#forget(socket);
  }

  /** Accepts new connections and stays silent on them; the open ones close. */
  hang(): void {
    this.#isSilent = true;
    this.cut();
  }

  /** Refuses new connections; the open ones close. `accept` ends this. */
  async refuse(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  /** Listens again after `refuse`. */
  async accept(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(this.port, '127.0.0.1', resolve));
  }

  /** Delays everything by the given time, in each direction. */
  delay(milliseconds: number): void {
    this.#delayMs = milliseconds;
  }

  /** Splits everything into pieces of the given number of bytes. */
  slice(bytes: number): void {
    this.#sliceBytes = bytes;
  }

  /**
   * Closes each new connection once the server has sent the given number of bytes on it; the open
   * ones close.
   */
  cutAfter(bytes: number): void {
    this.#cutAfterBytes = bytes;
    this.cut();
  }

  /** Ends every fault except `refuse`; what was held back is passed on. */
  heal(): void {
    this.#isPartitioned = this.#isBlackhole = this.#isSilent = false;
    this.#delayMs = this.#sliceBytes = 0;
    this.#cutAfterBytes = Infinity;
    for (const socket of this.#sockets) if (!this.#forgotten.has(socket)) socket.resume();
  }

  /** Sends the text to the clients of the open connections, as if it came from the server. */
  respond(text: string): void {
    for (const socket of this.#sockets) if (socket.localPort === this.port) socket.write(text);
  }

  /** Closes every connection; new ones can be made. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async stop(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }

  #connect(near: Socket): void {
    this.#acceptedCount++;
    if (this.#isSilent) {
      this.#track(near);
      near.resume();
      return;
    }
    const far = connect(this.target, '127.0.0.1');
    this.#forward(near, far);
    this.#forward(far, near, this.#cutAfterBytes);
  }

  #forward(from: Socket, to: Socket, cutAfterBytes = Infinity): void {
    this.#track(from);
    from.setNoDelay(true);
    from.on('data', (data: Buffer) => {
      const excess = from.bytesRead - cutAfterBytes;
      if (excess < 0) this.#send(data, from, to);
      else to.end(data.subarray(0, -excess || undefined));
    });
    from.on('end', () => to.end());
    from.on('close', () => to.destroy());
    if (this.#isBlackhole) this.#forget(from);
    else if (this.#isPartitioned) from.pause();
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#sockets.delete(socket));
  }

  #forget(socket: Socket): void {
    socket.pause();
    this.#forgotten.add(socket);
  }

  #send(data: Buffer, from: Socket, to: Socket): void {
    if (this.#sliceBytes > 0) {
      from.pause();
      this.#sendSliced(data, from, to);
    } else if (this.#delayMs > 0) {
      setTimeout(() => to.destroyed || to.write(data), this.#delayMs);
    } else {
      to.write(data);
    }
  }

  /** One piece per turn of the event loop, because pieces of one turn would be sent together. */
  #sendSliced(rest: Buffer, from: Socket, to: Socket): void {
    if (to.destroyed) return;
    if (rest.length === 0) {
      if (!this.#isPartitioned && !this.#forgotten.has(from)) from.resume();
      return;
    }
    const size = this.#sliceBytes || rest.length;
    to.write(rest.subarray(0, size));
    setImmediate(() => this.#sendSliced(rest.subarray(size), from, to));
  }
}

/** Returns the port of an address. */
export function portOf(url: string): number {
  return Number(new URL(url).port);
}

/** Returns the address of the database with the host and port of the proxy. */
export function proxiedUrl(proxy: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(proxy.port) }).href;
}
