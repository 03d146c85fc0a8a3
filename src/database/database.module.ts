import { Global, Module, type OnApplicationShutdown } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DatabaseSettings, Settings } from '../config/settings.js';
import { TYPEORM_CONNECTION, writerOptions } from './data-source.js';
import { DatabaseHealth } from './database-health.js';
import { PoolMetrics } from './pool-metrics.js';
import { PostgresReadDatabase } from './postgres-read-database.js';
import { ReadDatabase } from './read-database.js';
import { WorkerClockMetrics } from './worker-clock-metrics.js';
import { REPOSITORIES, WriterConnection } from './writer-connection.js';

/** The address that both need; only a start that forgot the embedded database lacks it. */
function primaryUrl({ database }: Settings): string {
  if (database.url === undefined)
    throw new Error('the database has no address: start the embedded one first');
  return database.url;
}

/**
 * The read pools, and TypeORM's connection `deal-sets` for the repositories of a team's modules, which is
 * opened when a provider injects one. Neither needs the database to be up: the process starts without it,
 * responds with 503, and works as soon as it is there.
 */
@Global()
@Module({
  imports: [
    TypeOrmModule.forRootAsync({
      name: TYPEORM_CONNECTION,
      inject: [Settings],
      useFactory: (settings: Settings) => ({
        ...writerOptions({
          url: primaryUrl(settings),
          applicationName: 'deal-sets repositories',
        }),
        manualInitialization: true,
      }),
    }),
  ],
  providers: [
    {
      provide: PostgresReadDatabase,
      useFactory: (settings: Settings) =>
        new PostgresReadDatabase(
          Object.assign(new DatabaseSettings(), settings.database, { url: primaryUrl(settings) }),
        ),
      inject: [Settings],
    },
    { provide: ReadDatabase, useExisting: PostgresReadDatabase },
    WriterConnection,
    ...REPOSITORIES,
    DatabaseHealth,
    PoolMetrics,
    WorkerClockMetrics,
  ],
  exports: [ReadDatabase, PostgresReadDatabase, DatabaseHealth, ...REPOSITORIES],
})
export class DatabaseModule implements OnApplicationShutdown {
  constructor(private readonly reads: PostgresReadDatabase) {}

  /** The last stage of a stop: by now every response is out. */
  async onApplicationShutdown(): Promise<void> {
    await this.reads.close();
  }
}
