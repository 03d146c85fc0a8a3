import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { openMigratedDatabase } from './commands/open-database.js';
import type { Settings } from './config/settings.js';
import { createApp } from './create-app.js';
import { DatabaseHealth } from './database/database-health.js';
import type { DealSetsExtensions } from './extensions.js';
import { LISTEN_BACKLOG } from './http/edge-server.js';
import { Log } from './observability/logger.js';
import { endOnSignals } from './graceful-shutdown.js';

export interface ServiceOptions {
  /** Runs when the service has stopped and its stores are closed: to stop an embedded database, say. */
  readonly afterStop?: () => Promise<void>;
}

/** A service that listens. */
export interface RunningService {
  readonly app: NestFastifyApplication;
  /** Where it listens, with the port that was really taken. */
  readonly url: string;
  /** Stops in order: accepted requests finish, then stores close, then `afterStop` runs. */
  stop(): Promise<void>;
}

/** A start without its database is no failure: a log line gives the reason for the 503s. */
async function logDatabaseState(
  database: DatabaseHealth,
  log: Log,
  isStopping: () => boolean,
): Promise<void> {
  const { reachable, migrated } = await database.check();
  if (migrated || isStopping()) return;
  if (reachable) {
    log.error({}, 'database schema out of date, responding with 503: run `deal-sets migrate`');
  } else {
    log.error({}, 'database unreachable, responding with 503: check DATABASE_URL');
  }
}

/**
 * Builds the application, listens, and ends the process in order on SIGTERM and SIGINT. Settings without a
 * database start the embedded one, migrated, and stop it with the service; a configured database may be
 * down: the service then responds with 503 until it is back.
 *
 * @throws the system's error when the port cannot be had (`EADDRINUSE`, `EACCES`), after closing what
 * was opened.
 */
export async function startService(
  settings: Settings,
  extensions?: DealSetsExtensions,
  { afterStop }: ServiceOptions = {},
): Promise<RunningService> {
  if (settings.database.url !== undefined) return listen(settings, extensions, afterStop);
  const database = await openMigratedDatabase(settings);
  try {
    return await listen(database.settings, extensions, async () => {
      await database.close();
      await afterStop?.();
    });
  } catch (error) {
    await database.close();
    throw error;
  }
}

async function listen(
  settings: Settings,
  extensions: DealSetsExtensions | undefined,
  afterStop: ServiceOptions['afterStop'],
): Promise<RunningService> {
  const app = await createApp(settings, extensions);
  const log = app.get(Log);
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= app.close().then(afterStop);
    return stopped;
  };
  try {
    await app.listen({ port: settings.port, host: settings.host, backlog: LISTEN_BACKLOG });
  } catch (error) {
    await stop();
    throw error;
  }
  const url = await app.getUrl();
  endOnSignals(stop, settings.shutdownGraceMs, log);
  log.info({ address: app.getHttpServer().address() as AddressInfo }, 'listening');
  void logDatabaseState(app.get(DatabaseHealth), log, () => stopped !== undefined);
  return { app, url, stop };
}
