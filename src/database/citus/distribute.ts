import { escapeIdentifier } from 'pg';
import {
  adaptFunctions,
  distributeFunctions,
  putTriggersOnShards,
  takeTriggers,
} from './adapt-schema.js';
import { distributeTables } from './distribute-tables.js';
import { DISTRIBUTED_TABLES } from './distributed-tables.js';
import { isDistributed } from './inspect-cluster.js';
import { grantOnWorkers, refuseTruncate, renewShardViews } from './nodes.js';
import type { SqlConnection } from './sql-connection.js';

export interface DistributeOptions {
  /** Parts of each table; Citus moves and places these. */
  readonly shardCount?: number;
  readonly onStep?: (what: string) => void;
}

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

const SHARD_COUNT = 32;
/**
 * Makes a migrated database a distributed one, in one transaction, or brings the functions, triggers and privileges
 * of a distributed one to those of this version.
 *
 * Rows are copied as they are: triggers and foreign keys are taken away before and come back after, so no request is
 * stamped. Writers must not run meanwhile.
 *
 * @param client a superuser's connection to the coordinator, in no transaction; the cluster is as
 *   {@link inspectCluster} wants it.
 * @returns whether the tables were distributed by this call.
 */
export async function distribute(
  client: SqlConnection,
  { shardCount = SHARD_COUNT, onStep = () => undefined }: DistributeOptions = {},
): Promise<boolean> {
  const isFirst = !(await isDistributed(client));
  await client.query('BEGIN');
  try {
    await client.query(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
    await client.query('SET LOCAL citus.enable_unsafe_triggers = on');
    await client.query(`SET LOCAL citus.shard_count = ${shardCount}`);
    await client.query(`SET LOCAL client_min_messages = 'warning'`);
    const triggers = await takeTriggers(client);
    const keys = isFirst ? await takeForeignKeys(client) : [];
    await adaptFunctions(client);
    await distributeTables(client, onStep);
    onStep('distributing functions');
    await distributeFunctions(client);
    onStep('restoring keys and triggers');
    for (const { table, name, definition } of keys) {
      await client.query(
        `ALTER TABLE ${table} ADD CONSTRAINT ${escapeIdentifier(name)} ${definition}`,
      );
    }
    await putTriggersOnShards(client, triggers);
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  }
  onStep('granting privileges on shards');
  await grantOnWorkers(client);
  await renewShardViews(client);
  await refuseTruncate(client);
  return isFirst;
}

/** Those of sessions go for good: these stay on the coordinator, and no key leads from there to a worker. */
async function takeForeignKeys(client: SqlConnection): Promise<ForeignKey[]> {
  const { rows } = await client.query<ForeignKey>(
    `SELECT c.relname AS table, k.conname AS name, pg_get_constraintdef(k.oid) AS definition
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_class f ON f.oid = k.confrelid
     WHERE k.contype = 'f' AND c.relnamespace = 'public'::regnamespace AND f.relname = ANY ($1) ORDER BY 1, 2`,
    [DISTRIBUTED_TABLES],
  );
  for (const { table, name } of rows) {
    await client.query(`ALTER TABLE ${table} DROP CONSTRAINT ${escapeIdentifier(name)}`);
  }
  return rows.filter(({ table }) => DISTRIBUTED_TABLES.includes(table));
}
