import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import {
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { collectDefaultMetrics } from 'prom-client';
import { ServerSettings } from '../config/service-settings.js';
import { errorFields } from '../observability/error-fields.js';
import { ServiceLogger } from '../observability/service-logger.js';
import { Metrics, MetricsRegistry } from '../observability/metrics.js';

/**
 * Serves only `/metrics`, on a separate port, so that metrics can never be read on the public port.
 * It closes last, so that a shutdown can be observed.
 */
@Injectable()
export class ManagementServer implements OnApplicationBootstrap, OnApplicationShutdown {
  #listener: Server | undefined;

  constructor(
    private readonly server: ServerSettings,
    private readonly metrics: Metrics,
    private readonly combined: MetricsRegistry,
    private readonly logger: ServiceLogger,
  ) {}

  /**
   * Starts to listen if a port is set.
   *
   * @throws the system's error when the port is not available, because a service without its
   *   metrics must not start.
   */
  async onApplicationBootstrap(): Promise<void> {
    const { managementPort: port, managementHost: host } = this.server;
    if (port === undefined) return;
    // Metrics of the process: CPU, memory, garbage collection, event loop lag.
    collectDefaultMetrics({ register: this.metrics.registry });
    const server = createServer((request, response) => void this.#respond(request, response));
    Object.assign(server, { headersTimeout: 5_000, requestTimeout: 5_000 });
    await once(server.listen(port, host), 'listening').catch((error: unknown) => {
      // The service listens on two ports, so the error has to name the setting.
      throw Object.assign(error as Error, { setting: 'MANAGEMENT_PORT' });
    });
    this.#listener = server;
    this.logger.log({ msg: 'metrics listening', address: server.address() });
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.#listener) return;
    const closed = once(this.#listener, 'close');
    this.#listener.close().closeAllConnections();
    await closed;
  }

  async #respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    try {
      const text = await this.combined.text();
      response.writeHead(200, { 'Content-Type': this.combined.contentType }).end(text);
    } catch (error) {
      this.logger.error({ msg: 'metrics collection failed', ...errorFields(error) });
      response.writeHead(500).end();
    }
  }
}
