import { Global, Module, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { writerDataSource } from './data-source.js';
import { DatabaseHealth } from './database-health.js';
import { PoolMetrics } from './pool-metrics.js';
import { PostgresReadDatabase } from './postgres-read-database.js';
import { ReadDatabase } from './read-database.js';
import { WriterConnection } from './writer-connection.js';

/** The address that both need; only a start that forgot the embedded database lacks it. */
function primaryUrl({ database }: Settings): string {
  if (database.url === undefined)
    throw new Error('the database has no address: start the embedded one first');
  return database.url;
}

/**
 * The read pools and the writers' TypeORM data source. Neither needs the database to be up: the process
 * starts without it, answers 503, and works as soon as it is there.
 */
@Global()
@Module({
  providers: [
    {
      provide: PostgresReadDatabase,
      useFactory: (settings: Settings) =>
        new PostgresReadDatabase({ ...settings.database, url: primaryUrl(settings) }),
      inject: [Settings],
    },
    { provide: ReadDatabase, useExisting: PostgresReadDatabase },
    {
      provide: DataSource,
      useFactory: (settings: Settings) => writerDataSource({ url: primaryUrl(settings) }),
      inject: [Settings],
    },
    WriterConnection,
    DatabaseHealth,
    PoolMetrics,
  ],
  exports: [ReadDatabase, PostgresReadDatabase, DataSource, DatabaseHealth],
})
export class DatabaseModule implements OnModuleInit, OnApplicationShutdown {
  constructor(
    private readonly reads: PostgresReadDatabase,
    private readonly writer: WriterConnection,
  ) {}

  onModuleInit(): void {
    this.writer.open();
  }

  /** The last stage of a stop: by now every answer is out. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.reads.close(), this.writer.close()]);
  }
}
