import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A web server on its own port. It responds 400 to what is not HTTP. */
export class WebServer {
  private constructor(private readonly server: Server) {}

  static async start(): Promise<WebServer> {
    const server = createServer((_request, response) => response.end('a page'));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new WebServer(server);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close().closeAllConnections();
    await closed;
  }
}
