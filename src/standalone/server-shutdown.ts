import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { ServerSettings } from '../config/service-settings.js';
import { Settings } from '../config/settings.js';
import { ServiceLogger } from '../observability/service-logger.js';

/**
 * How long idle connections stay open during a shutdown, in milliseconds, because a client may be
 * sending its next request.
 */
const QUIET_MS = 250;
/** The interval at which idle connections are closed after `QUIET_MS`. */
const CLOSE_IDLE_INTERVAL_MS = 100;
/** The time in which a client can receive the last response, after that request's deadline. */
const LAST_RESPONSE_MS = 1_000;

/** Stops the HTTP server of the standalone application without losing accepted requests. */
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
   * Stops listening and waits until all connections are closed. Nest calls it before the server,
   * the pools and the stores close. Idle connections are kept for a moment, because a client that
   * has just received a response may be sending its next request.
   */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    const server = this.#server;
    if (!server.listening) return;
    const { shutdownDelayMs } = this.serverSettings;
    if (shutdownDelayMs > 0) {
      this.logger.log({ msg: 'stopping: no longer ready', shutdownDelayMs });
      await sleep(shutdownDelayMs);
    }
    this.logger.log({ msg: 'stopping: no new connections' });
    // `http.Server.close` would also end idle connections at once, and with them the requests that
    // clients are just sending on them. `net.Server.close`, which it overrides, keeps all existing
    // connections.
    const closed = new Promise((resolve) => NetServer.prototype.close.call(server, resolve));
    // Without connections, there is nothing to wait for.
    await Promise.race([closed, sleep(QUIET_MS, undefined, { ref: false })]);
    const idle = setInterval(() => server.closeIdleConnections(), CLOSE_IDLE_INTERVAL_MS);
    const lastMs = this.settings.requestDeadlineMs + LAST_RESPONSE_MS;
    const last = setTimeout(() => server.closeAllConnections(), lastMs);
    await closed;
    clearInterval(idle);
    clearTimeout(last);
  }

  get #server(): Server {
    return this.adapters.httpAdapter.getHttpServer<Server>();
  }
}
