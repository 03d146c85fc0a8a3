import 'reflect-metadata';
import { chmodSync, rmSync } from 'node:fs';
import { writerDataSource } from '../../src/database/data-source.js';
import { EmbeddedPostgres } from '../../packages/embedded-postgres/src/embedded-postgres.js';
import { migrate } from '../../src/database/migrate.js';
import { plantInDatabase } from './planted-fault.js';
import { ADMIN_URL, TEMPLATE_DATABASE, temporaryDirectory } from './test-cluster.js';

/**
 * Starts one throw-away PostgreSQL for the whole run, with a migrated template database. A run that is
 * killed takes it along: the server watches its parent.
 *
 * @returns the call that stops it and removes its data.
 */
export async function startTestCluster(): Promise<() => Promise<void>> {
  const directory = temporaryDirectory('jest');
  chmodSync(directory, 0o755);
  const server = await EmbeddedPostgres.attachOrStart({
    directory,
    database: TEMPLATE_DATABASE,
    isThrowAway: true,
    settings: { max_connections: '400', wal_level: 'replica', max_wal_senders: '10' },
  });
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    const dataSource = await writerDataSource({ url: server.url }).initialize();
    await migrate(dataSource);
    await plantInDatabase(dataSource);
    await dataSource.destroy();
  } catch (error) {
    await stop();
    throw error;
  }
  process.env[ADMIN_URL] = server.url.replace(TEMPLATE_DATABASE, 'postgres');
  return stop;
}
