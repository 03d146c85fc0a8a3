import {
  Module,
  type DynamicModule,
  type OnApplicationShutdown,
  type OnModuleInit,
} from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import type { DataSourceOptions } from 'typeorm';
import { Settings, type DatabaseOptions } from '../config/settings.js';
import { TimeLimits } from '../kernel/time-limits.js';
import { ObservabilityModule } from '../observability/observability.module.js';
import { DatabaseHealth } from './database-health.js';
import { DatabaseMetrics } from './database-metrics.js';
import { ENTITIES } from './entities.js';
import { PooledReadDatabase } from './pooled-read-database.js';
import { ReadDatabase } from './read-database.js';
import {
  ASSISTANT_READS,
  READ_DATA_SOURCES,
  readOptions,
  ReadDataSource,
  SESSION_READS,
  type ReadDataSourceName,
} from './read-data-source.js';

const readDataSource = (name: ReadDataSourceName): DynamicModule =>
  TypeOrmModule.forRootAsync({
    name,
    inject: [Settings, TimeLimits],
    useFactory: (settings: Settings, limits: TimeLimits) => {
      assertDatabaseAddress(settings);
      const { database } = settings;
      return { ...readOptions(name, database.url, database, limits), manualInitialization: true };
    },
    dataSourceFactory: (options) => ReadDataSource.create(options as DataSourceOptions),
  });

/**
 * Checks that the database has an address.
 *
 * @throws {Error} naming the setting when the database has no address.
 */
function assertDatabaseAddress(settings: Settings): void {
  const { url, readerUrl } = settings.database;
  if (url !== undefined || readerUrl !== undefined) return;
  throw new Error('the database has no address: set DATABASE_URL (settings.database.url)');
}

/** Creates the `ReadDatabase`, with data sources for the replica if there is one. */
export async function readDatabase(
  [session, assistant, signIn]: readonly [ReadDataSource, ReadDataSource, ReadDataSource],
  settings: DatabaseOptions,
  limits: TimeLimits,
): Promise<PooledReadDatabase> {
  const { replicaUrl } = settings;
  const onReplica = (name: ReadDataSourceName): Promise<ReadDataSource> =>
    ReadDataSource.create(readOptions(name, replicaUrl, settings, limits));
  const replica =
    replicaUrl === undefined
      ? undefined
      : { session: await onReplica(SESSION_READS), assistant: await onReplica(ASSISTANT_READS) };
  return new PooledReadDatabase({ session, assistant, signIn, replica }, settings, limits);
}

/**
 * Provides the data sources for reads. For modules of a host application, it also provides
 * repositories of the service's entities on these data sources. If the database is down, the
 * service still starts, responds with 503, and recovers by itself.
 */
@Module({
  imports: [
    ObservabilityModule,
    ...READ_DATA_SOURCES.map(readDataSource),
    TypeOrmModule.forFeature(ENTITIES, SESSION_READS),
    TypeOrmModule.forFeature(ENTITIES, ASSISTANT_READS),
  ],
  providers: [
    {
      provide: PooledReadDatabase,
      inject: [Settings, TimeLimits, ...READ_DATA_SOURCES.map((name) => getDataSourceToken(name))],
      useFactory: (
        { database, requestDeadlineMs }: Settings,
        limits: TimeLimits,
        ...sources: [ReadDataSource, ReadDataSource, ReadDataSource]
      ) => {
        // A shorter deadline than the contract's leaves time for the primary, too.
        const replicaMs = Math.min(limits.replicaMs, requestDeadlineMs / 2);
        return readDatabase(sources, database, { ...limits, replicaMs });
      },
    },
    { provide: ReadDatabase, useExisting: PooledReadDatabase },
    DatabaseHealth,
    DatabaseMetrics,
  ],
  exports: [ReadDatabase, DatabaseHealth, TypeOrmModule],
})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(private readonly reads: PooledReadDatabase) {}

  async onModuleInit(): Promise<void> {
    await this.reads.open();
  }

  /** Runs in the last stage of a shutdown, when every response has been sent. */
  async onApplicationShutdown(): Promise<void> {
    await this.reads.close();
  }
}
