import type { Server } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServerSettings } from '../config/service-settings.js';
import { Settings } from '../config/settings.js';
import { ServiceLogger } from '../observability/service-logger.js';

/** The time in which a client can receive the last response, after that request's deadline. */
const LAST_RESPONSE_MS = 1_000;

/** Stops the HTTP server of the standalone application without losing requests in progress. */
@Injectable()
export class ServerShutdown implements BeforeApplicationShutdown {
  /** Whether the service is stopping: it is no longer ready, and connections are not kept. */
  isStopping = false;

  constructor(
    private readonly adapters: HttpAdapterHost<FastifyAdapter>,
    private readonly settings: Settings,
    private readonly serverSettings: ServerSettings,
    private readonly logger: ServiceLogger,
  ) {}

  /**
   * Waits for the delay of a stop, in which the service still accepts connections. Nest then closes
   * the server, which ends idle connections and waits for the requests in progress, and after it
   * the pools and the stores.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const server = this.adapters.httpAdapter.getHttpServer<Server>();
    if (!server.listening) return;
    const { shutdownDelayMs } = this.serverSettings;
    if (shutdownDelayMs > 0) {
      this.logger.log({ msg: 'stopping: no longer ready', shutdownDelayMs });
      await sleep(shutdownDelayMs);
    }
    this.logger.log({ msg: 'stopping: no new connections' });
    // A client may have sent nothing, or half of a request.
    const lastMs = this.settings.requestDeadlineMs + LAST_RESPONSE_MS;
    const last = setTimeout(() => server.closeAllConnections(), lastMs);
    server.once('close', () => clearTimeout(last));
  }
}
