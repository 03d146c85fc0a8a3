import 'reflect-metadata';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { AppModule } from './app.module.js';
import { loadProtocols } from './create-app.js';
import type { Settings } from './config/settings.js';
import type { DealSetsExtensions } from './extensions.js';
import { createEdgeAdapter } from './http/edge-adapter.js';
import { EndpointRegistry } from './http/endpoint-registry.js';
import { answeredPaths } from './http/request-paths.js';
import { guardedSink } from './observability/log-sink.js';
import { Log } from './observability/logger.js';

/** The service inside a host application. */
export interface HostedService {
  /**
   * Handles a request for `/api/v1/`, `/health/`, a path that a team's module declares or, with `MCP=on`, `/mcp`
   * and its metadata, and leaves any other to the host: then it calls `next`, where there is one, and returns
   * false. It needs the request with its body unread and its URL as it came.
   */
  readonly listener: (
    request: IncomingMessage,
    response: ServerResponse,
    next?: () => void,
  ) => boolean;
  readonly app: NestFastifyApplication;
  /** Closes pools and stores. First the host stops and lets its requests finish. */
  close(): Promise<void>;
}

/**
 * Builds the service as a request listener for Express, Fastify or `node:http`. What belongs to the server is
 * the host's: malformed HTTP, stalled clients, limits of headers and connections, and stopping. The host's
 * Nest logger is not replaced; the service's own lines go to its log.
 *
 *     const { listener, close } = await createRequestListener(loadSettings(process.env));
 *     express().use(listener);
 *
 * @param log where the service writes; default: `extensions.logSink`, else standard output.
 */
export async function createRequestListener(
  settings: Settings,
  extensions: DealSetsExtensions = {},
  log = new Log(settings.logLevel, extensions.logSink && guardedSink(extensions.logSink)),
): Promise<HostedService> {
  const edge = createEdgeAdapter();
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.register(settings, extensions, log, await loadProtocols(settings)),
    edge.adapter,
    // No `logger`: Nest keeps one for the whole process, and here it is the host's.
    // eslint-disable-next-line @typescript-eslint/no-unsafe-class-instance-assignment -- Nest's options are a class of which no instances are made
    { bodyParser: false, abortOnError: false },
  );
  const answer = edge.attach(app);
  try {
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  } catch (error) {
    await app.close();
    throw error;
  }
  const isOwn = answeredPaths(app.get(EndpointRegistry).routes.map(({ path }) => path));
  return {
    app,
    close: () => app.close(),
    listener: (request, response, next) => {
      if (!isOwn(request.url ?? '/')) {
        next?.();
        return false;
      }
      answer(request, response);
      return true;
    },
  };
}
