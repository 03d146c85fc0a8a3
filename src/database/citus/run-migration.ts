import type { QueryRunner } from 'typeorm';
import {
  adaptFunctions,
  distributeFunctions,
  putTriggersOnShards,
  takeTriggers,
} from './adapt-schema.js';
import { distributeTables } from './distribute-tables.js';
import { isDistributed } from './inspect-cluster.js';
import { dropShardViews } from './nodes.js';
import { splitStatements } from './split-statements.js';
import type { SqlConnection } from './sql-connection.js';

/** Privileges on columns: Citus refuses to take them to the workers. */
const COLUMN_PRIVILEGES = /^(?:GRANT|REVOKE)\s+[A-Z]+\s*\(/i;

/**
 * Runs a migration's file in the transaction of the query runner.
 *
 * On a distributed database its statements run one by one; then the service's tables that it made are distributed, and the
 * functions and triggers that it made or replaced are brought to the form in which they run on shards, before it
 * commits.
 */
export async function runMigration(queryRunner: QueryRunner, sql: string): Promise<void> {
  const connection = connectionOf(queryRunner);
  if (!(await isDistributed(connection))) {
    await queryRunner.query(sql);
    return;
  }
  await connection.query(`SET LOCAL citus.multi_shard_modify_mode = 'sequential'`);
  await connection.query('SET LOCAL citus.enable_unsafe_triggers = on');
  // A column that a view shows cannot be dropped or get another type.
  await dropShardViews(connection);
  for (const statement of splitStatements(sql)) {
    const isForHere = COLUMN_PRIVILEGES.test(statement);
    if (isForHere) await connection.query('SET LOCAL citus.enable_ddl_propagation = off');
    await connection.query(statement);
    if (isForHere) await connection.query('SET LOCAL citus.enable_ddl_propagation = on');
  }
  const triggers = await takeTriggers(connection);
  await adaptFunctions(connection);
  await distributeTables(connection);
  await distributeFunctions(connection);
  await putTriggersOnShards(connection, triggers);
}

/** The query runner's connection in the form of the driver's clients. */
export function connectionOf(queryRunner: QueryRunner): SqlConnection {
  return {
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- as SqlConnection has it
    async query<Row extends object>(text: string, values: unknown[] = []) {
      const { records } = await queryRunner.query(text, values, true);
      // A statement that returns no rows has no records.
      return { rows: (records as Row[] | undefined) ?? [] };
    },
  };
}
