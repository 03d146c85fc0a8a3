import { randomBytes } from 'node:crypto';
import { distribute } from '../../../src/database/citus/distribute.js';
import { writerDataSource } from '../../../src/database/data-source.js';
import { applyMigrations } from '../../../src/database/migrate.js';
import { openTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { citusNodes, nodeUrl, onNode, type CitusNode } from './citus-cluster.js';

export interface DistributedDatabase extends TestDatabase {
  readonly nodes: readonly CitusNode[];
  /** Address of this database on each node, coordinator first. */
  readonly nodeUrls: readonly string[];
}

/** A migrated database on the run's three nodes that is still the coordinator's alone. */
export async function createClusterDatabase(): Promise<DistributedDatabase> {
  const nodes = citusNodes();
  const name = `test_${randomBytes(6).toString('hex')}`;
  const nodeUrls = nodes.map((node) => nodeUrl(node, name));
  for (const node of nodes) await onNode(nodeUrl(node, 'postgres'), [`CREATE DATABASE ${name}`]);
  for (const url of nodeUrls) {
    await onNode(url, [
      'CREATE EXTENSION citus',
      // 0 is every other node, -1 the node itself.
      ...[0, -1].map(
        (id) =>
          `INSERT INTO pg_dist_authinfo VALUES (${id}, 'postgres', 'password=${nodes[0]?.password ?? ''}')`,
      ),
    ]);
  }
  const [coordinator, ...workers] = nodes as [CitusNode, ...CitusNode[]];
  const [url] = nodeUrls as [string];
  await onNode(url, [
    `SELECT citus_set_coordinator_host('127.0.0.1', ${coordinator.port})`,
    ...workers.map(({ port }) => `SELECT citus_add_node('127.0.0.1', ${port})`),
  ]);
  const dataSource = await writerDataSource({ url, poolSize: 2 }).initialize();
  await applyMigrations(dataSource);
  await dataSource.destroy();
  const database = await openTestDatabase(url, async () => {
    for (const node of nodes) {
      await onNode(nodeUrl(node, 'postgres'), [`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`]);
    }
  });
  return { ...database, env: { DATABASE_DISTRIBUTED: 'on' }, nodes, nodeUrls };
}

/** The same, distributed over the two workers. */
export async function createDistributedDatabase(): Promise<DistributedDatabase> {
  const database = await createClusterDatabase();
  await distribute(database.client, { shardCount: 8 });
  return database;
}
