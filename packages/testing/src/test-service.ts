import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { EmbeddedPostgres } from '#embedded-postgres';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '@deal-sets/service';
import {
  migrate,
  writerDataSource,
  type ImportRecord,
  type ImportSummary,
} from '@deal-sets/service/operations';
import {
  JsonLogger,
  loadServiceSettings,
  openService,
  type ServiceOptions,
} from '@deal-sets/service/standalone';
import { load } from './load.js';
import { TestIssuer, type TestTokenOptions } from './test-issuer.js';

/** The options of `startTestService`. */
export interface TestServiceOptions {
  /** The options that the host application passes to `startService` or `DealSetsModule.forRoot`. */
  readonly hostOptions?: Omit<ServiceOptions, 'settings' | 'server' | 'afterStop'>;
  /**
   * Import records to load before the service starts, such as `sampleWorld().records`.
   */
  readonly world?: readonly ImportRecord[];
  /**
   * Runs on the migrated database before records are loaded, for example to apply the host
   * application's own migrations.
   */
  readonly prepare?: (databaseUrl: string) => Promise<void>;
  /**
   * Settings by the names of their environment variables. The environment of this process is
   * ignored.
   */
  readonly settings?: Readonly<Record<string, string>>;
}

/** The real service, on a free port of this machine. */
export interface TestService {
  readonly app: NestFastifyApplication;
  /** The address of the service, without a slash at the end. */
  readonly url: string;
  /**
   * The settings of the service. A test that builds its own application can pass them to
   * `DealSetsModule.forRoot`.
   */
  readonly settings: Settings;
  /**
   * The URL of the service's database, with the credentials of the owner of the tables. Tests can
   * use it to set up and inspect data.
   */
  readonly databaseUrl: string;
  /** The log lines so far, one JSON object each. */
  readonly logLines: readonly string[];
  /**
   * Returns a bearer token of an assistant of this buyer. The service accepts it while the grant
   * store contains the approval.
   */
  tokenFor(buyerId: string, options?: TestTokenOptions): Promise<string>;
  /** Imports further records while the service runs, as a writer would. */
  load(records: readonly ImportRecord[]): Promise<ImportSummary>;
  /** Stops the service, its database and its issuer, and removes their files. */
  stop(): Promise<void>;
}

/**
 * Starts the real service with a host application's providers, a separate embedded PostgreSQL and a
 * test issuer; nothing is mocked. The start takes a few seconds, so start one service per test
 * file.
 */
export async function startTestService(options: TestServiceOptions = {}): Promise<TestService> {
  const stops: (() => Promise<void>)[] = [];
  // Stops everything in the reverse of the order in which it was started.
  const stop = async (): Promise<void> => {
    for (const close of stops.splice(0).reverse()) await close();
  };
  try {
    const directory = await mkdtemp(path.join(tmpdir(), 'deal-sets-test-'));
    stops.push(() => rm(directory, { recursive: true, force: true }));
    // When this process runs as root, PostgreSQL runs as another account, which needs access.
    await chmod(directory, 0o755);
    const database = await EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true });
    stops.push(() => database.stop());
    const dataSource = await writerDataSource({ url: database.url, poolSize: 1 }).initialize();
    await migrate(dataSource).finally(() => dataSource.destroy());
    const { prepare, world, hostOptions } = options;
    await prepare?.(database.url);
    if (world) await load(database, world);
    const issuer = await TestIssuer.start();
    stops.push(() => issuer.stop());
    const { settings, server } = loadServiceSettings({
      DATABASE_URL: database.url,
      // Tests send far more requests than a person does.
      READ_RATE_LIMIT: '1000000',
      ...issuer.settings,
      ...options.settings,
      HOST: '127.0.0.1',
      PORT: '0',
    });
    const logLines: string[] = [];
    const logger = new JsonLogger(server.logLevel, {
      write: (line: string) => void logLines.push(line),
    });
    const service = await openService({ ...hostOptions, settings, server }, logger);
    stops.push(() => service.stop());
    return {
      app: service.app,
      url: service.url,
      settings,
      databaseUrl: database.url,
      logLines,
      tokenFor: (buyerId, token) => issuer.token(buyerId, token),
      load: (records) => load(database, records),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
