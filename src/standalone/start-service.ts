import 'reflect-metadata';
import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import {
  loadServiceSettings,
  serviceSettingsFromOptions,
  type ServerOptions,
  type ServiceSettings,
} from '../config/service-settings.js';
import { PACKAGE_VERSION } from '../config/package-version.js';
import type { DealSetsModuleOptions } from '../deal-sets/extension/deal-sets-options.module.js';
import { createFastifyAdapter } from './fastify-adapter.js';
import { ServerHooks } from './server-hooks.js';
import { JsonLogger } from '../observability/json-logger.js';
import { ApiDescription } from './api-description.js';
import { DocumentationPage } from './documentation-page.js';
import { endOnSignals } from './process-signals.js';

/** Options of the standalone application: those of `DealSetsModule`, and those of the server. */
export interface ServiceOptions extends Partial<DealSetsModuleOptions> {
  /**
   * The settings of the server: typed options, or a part of what `loadServiceSettings` returns.
   * Requires `settings`. If both are absent, all settings come from the environment.
   */
  readonly server?: ServerOptions;
  /**
   * Runs after the service has stopped and its stores are closed, for example to stop an embedded
   * database.
   */
  readonly afterStop?: () => Promise<void>;
}

/** A running service that accepts requests. */
export interface RunningService {
  readonly app: NestFastifyApplication;
  /** The address of the service, with the actual port. */
  readonly url: string;
  /**
   * Stops the service gracefully: accepted requests finish, then stores close, then `afterStop`
   * runs.
   */
  stop(): Promise<void>;
}

/**
 * Starts the standalone application as the one service of this process, and ends the process
 * gracefully on SIGTERM and SIGINT. While the database is down, the service responds with 503.
 *
 * @param options if they contain no settings, all settings come from the environment.
 * @throws {SettingsError} when settings are not valid, and the system's error when the port is not
 *   available (`EADDRINUSE`, `EACCES`). Everything opened before is then closed.
 */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const checked = settingsOf(options);
  const { server } = checked;
  const logger = new JsonLogger(server.logLevel);
  const service = await openChecked(options, checked, logger);
  const graceMs = server.shutdownDelayMs + server.shutdownGraceMs;
  const withdraw = endOnSignals({ stop: () => service.stop(), graceMs, logger });
  return { ...service, stop: () => service.stop().finally(withdraw) };
}

/**
 * Builds the application and listens. The caller handles the process's signals.
 *
 * @param logger the logger that every module and Nest write to.
 * @throws the same errors as `startService`.
 */
export async function openService(
  options: ServiceOptions,
  logger: JsonLogger,
): Promise<RunningService> {
  return openChecked(options, settingsOf(options), logger);
}

async function openChecked(
  { afterStop, server: _server, ...host }: ServiceOptions,
  { settings, server }: ServiceSettings,
  logger: JsonLogger,
): Promise<RunningService> {
  // Loaded only when MCP is on, so that it costs nothing otherwise.
  const protocols = settings.hasMcp ? [(await import('../mcp/mcp.module.js')).McpModule] : [];
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register({ ...host, settings }, server, logger, protocols),
    createFastifyAdapter(logger),
    // The caller handles a failed start. By default, Nest would end the process.
    { logger, bodyParser: false, abortOnError: false },
  );
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopped ??= app.close().finally(afterStop));
  try {
    app.get(ServerHooks).register();
    app.get(ApiDescription).open(app);
    app.get(DocumentationPage).serve(app);
    await app.listen({ port: server.port, host: server.host });
  } catch (error) {
    await app.close();
    throw error;
  }
  const address = app.getHttpServer().address() as AddressInfo;
  logger.log({ msg: 'listening', address, version: PACKAGE_VERSION });
  return { app, url: await app.getUrl(), stop };
}

/**
 * Returns the checked settings of the options, or those of the environment.
 *
 * @throws {Error} for settings of the server without settings of the module.
 */
function settingsOf({ settings, server }: ServiceOptions): ServiceSettings {
  if (settings !== undefined) return serviceSettingsFromOptions(settings, server);
  if (server === undefined) return loadServiceSettings();
  throw new Error('server: set settings too, or leave both out to read the environment');
}
