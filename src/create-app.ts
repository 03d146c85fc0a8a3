import 'reflect-metadata';
import type { Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { assertCompatible } from './compatibility.js';
import type { Settings } from './config/settings.js';
import type { DealSetsExtensions } from './extensions.js';
import { createEdgeAdapter } from './http/edge-adapter.js';
import { guardedSink } from './observability/log-sink.js';
import { Log } from './observability/logger.js';
import { NestLog } from './observability/nest-log.js';

/**
 * Builds the whole application, initialised and not yet listening. It does not need the database to be up:
 * it responds with 503 until it is. Close it with `app.close()`, which lets requests in flight finish.
 *
 * @param log where the service and the framework write; default: `extensions.logSink`, else standard output.
 */
export async function createApp(
  settings: Settings,
  extensions: DealSetsExtensions = {},
  log = new Log(settings.logLevel, extensions.logSink && guardedSink(extensions.logSink)),
): Promise<NestFastifyApplication> {
  assertCompatible(extensions.compatibility);
  const protocols = await loadProtocols(settings);
  const edge = createEdgeAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register(settings, extensions, log, protocols),
    edge.adapter,
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest declares the options as a class that is never instantiated
    {
      logger: new NestLog(log),
      bodyParser: false,
      // The caller decides what a failed start means; Nest would end the process.
      abortOnError: false,
    },
  );
  edge.open(app);
  try {
    return await app.init();
  } catch (error) {
    await app.close();
    throw error;
  }
}

/** The modules of further protocols: loaded where they are on, so that they cost nothing where they are off. */
export async function loadProtocols({ hasMcp }: Settings): Promise<Type[]> {
  return hasMcp ? [(await import('./mcp/mcp.module.js')).McpModule] : [];
}
