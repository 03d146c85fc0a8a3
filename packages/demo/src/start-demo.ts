import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { EmbeddedPostgres } from '@deal-sets/embedded-postgres';
import { startService, type RunningService } from '@deal-sets/service/standalone';
import { AuthorizationOptions } from './authorization/authorization-server.js';
import { KeptState } from './authorization/kept-state.js';
import { DemoModule } from './demo.module.js';
import { demoSettings } from './demo-settings.js';
import { DemoWorld } from './open-demo.js';

/** A demo that accepts requests. */
export interface RunningDemo {
  readonly world: DemoWorld;
  readonly service: RunningService;
  /** The demo's address, without a slash at the end. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /**
   * Whether another process runs the embedded PostgreSQL of this directory. The demo then loses its
   * database when that process stops.
   */
  readonly isShared: boolean;
}

/** Options of `startDemo`. */
export interface DemoOptions {
  /**
   * An empty database for a test. Default: the embedded one in `.data`, even if `DATABASE_URL` is
   * set.
   */
  readonly databaseUrl?: string;
  /** Called at the start of each step that takes a while, with a text that describes the step. */
  readonly onStep?: (step: string) => void;
  /** Fetches client metadata documents. Default: over https and from public addresses only. */
  readonly fetch?: typeof fetch;
  /**
   * The file in which the authorization server keeps its key and its clients. Default: a file
   * beside the embedded database, or no file if `databaseUrl` is set.
   */
  readonly stateFile?: string;
}

/**
 * Loads the demo world and serves it, with the page and an authorization server, on one origin.
 *
 * @throws {DemoStartError} if the environment has a setting that the demo does not support.
 * @throws {EmbeddedPostgresError} if the embedded PostgreSQL cannot start.
 */
export async function startDemo(
  env: NodeJS.ProcessEnv,
  { databaseUrl: configuredUrl, onStep, stateFile, fetch }: DemoOptions = {},
): Promise<RunningDemo> {
  const closes: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    for (const close of closes.splice(0).reverse()) await close();
  };
  // The port is checked before anything is opened.
  const { server } = demoSettings(env, configuredUrl ?? 'postgres://127.0.0.1/none');
  await assertPortFree(server.host, server.port);
  try {
    onStep?.('Starting PostgreSQL…');
    const embedded =
      configuredUrl === undefined ? await EmbeddedPostgres.attachOrStart() : undefined;
    closes.push(async () => embedded?.stop());
    const databaseUrl = configuredUrl ?? embedded?.url ?? '';
    onStep?.('Loading the demo world…');
    const world = await DemoWorld.open(databaseUrl, onStep);
    const kept = new KeptState(stateFile ?? (embedded && '.data/authorization-server.json'));
    const keySet = await serveKeySet(kept.publicKeys);
    closes.push(keySet.close);
    const loaded = demoSettings(env, databaseUrl, keySet.url);
    const service = await startService({
      ...loaded,
      imports: [
        DemoModule.register(
          databaseUrl,
          world,
          new AuthorizationOptions(kept, fetch, `http://localhost:${server.port}`),
        ),
      ],
      afterStop: async () => {
        await close();
        onStep?.('Stopped.');
      },
    });
    const isShared = embedded !== undefined && !embedded.isOwner;
    return { world, service, publicUrl: loaded.settings.publicUrl ?? '', databaseUrl, isShared };
  } catch (error) {
    await close();
    throw error;
  }
}

/**
 * Serves the issuer's keys on a separate port, because the service downloads them at its start,
 * before it listens.
 */
async function serveKeySet(keys: string): Promise<{ url: string; close: () => Promise<void> }> {
  const server = createServer((_request, response) =>
    response.setHeader('Content-Type', 'application/json').end(keys),
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Checks that the port is free.
 *
 * @throws {Error} the system's error if the port is taken.
 */
async function assertPortFree(host: string, port: number): Promise<void> {
  const server = createServer().listen(port, host);
  await once(server, 'listening');
  server.close();
  await once(server, 'close');
}
