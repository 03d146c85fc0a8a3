import { EmbeddedPostgres } from '@deal-sets/embedded-postgres';
import { startService, type RunningService } from 'deal-sets';
import { assertPortFree } from './assert-port-free.js';
import { AuthorizationModule } from './authorization/authorization.module.js';
import type { AuthorizationOptions } from './authorization/authorization-server.js';
import { DemoDatabaseModule } from './demo-database.module.js';
import { demoSettings } from './demo-settings.js';
import { openDemo, type OpenDemo } from './open-demo.js';
import { PageModule } from './page/page.module.js';

/** A demo that listens. */
export interface RunningDemo {
  readonly world: OpenDemo;
  readonly service: RunningService;
  /** Under which it is reached, without a slash at its end. */
  readonly publicUrl: string;
  readonly databaseUrl: string;
  /** The embedded PostgreSQL of another process in this folder, with which it stops. */
  readonly isShared: boolean;
}

export interface DemoOptions extends AuthorizationOptions {
  /** An empty database of a test's own. Default: the embedded one in `.data`, also where `DATABASE_URL` is set. */
  readonly databaseUrl?: string;
  /** Called with each step that takes a while. */
  readonly onStep?: (step: string) => void;
}

/** Loads the demo world and serves it, with the page and an authorization server, on one origin. */
export async function startDemo(
  env: NodeJS.ProcessEnv,
  { databaseUrl: given, onStep, ...options }: DemoOptions = {},
): Promise<RunningDemo> {
  // What is refused is refused before anything is opened.
  const { host, port } = demoSettings(env, given ?? 'postgres://127.0.0.1/none');
  await assertPortFree(host, port);
  onStep?.('Starting PostgreSQL …');
  const embedded = given === undefined ? await EmbeddedPostgres.attachOrStart() : undefined;
  const databaseUrl = given ?? embedded?.url ?? '';
  const close = async (): Promise<void> => embedded?.stop();
  try {
    onStep?.('Loading the demo world …');
    const world = await openDemo(databaseUrl);
    const settings = demoSettings(env, databaseUrl);
    const authorization = AuthorizationModule.register({
      ...(embedded && { stateFile: '.data/authorization-server.json' }),
      ...options,
    });
    const service = await startService({
      settings,
      imports: [
        DemoDatabaseModule.register(databaseUrl),
        authorization,
        PageModule.register(world, authorization),
      ],
      afterStop: close,
    });
    const isShared = embedded !== undefined && !embedded.isOwner;
    return { world, service, publicUrl: settings.publicUrl ?? '', databaseUrl, isShared };
  } catch (error) {
    await close();
    throw error;
  }
}
