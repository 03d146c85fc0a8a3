import { readFileSync } from 'node:fs';
import path from 'node:path';
import { escapeIdentifier } from 'pg';
import { MIGRATIONS_DIRECTORY } from '../migrations-directory.js';
import { adaptedFunction, inOrderOfUse, schemaFunctions } from './adapt-functions.js';
import { DISTRIBUTED_TABLES } from './distributed-tables.js';
import type { SqlConnection } from './sql-connection.js';

/** A trigger as the migrations made it, without an argument. */
export interface Trigger {
  readonly table: string;
  readonly name: string;
  /** As in `pg_trigger.tgenabled`. */
  readonly state: string;
  readonly definition: string;
}

/** Fires only while rows of another server are applied, which Citus does by itself when it moves a shard. */
const REPLICA_ONLY = 'R';

/** Takes the migrations' triggers from the tables, to be put on the shards. */
export async function takeTriggers(client: SqlConnection): Promise<Trigger[]> {
  const { rows } = await client.query<Trigger>(
    `SELECT c.relname AS table, t.tgname AS name, t.tgenabled AS state, pg_get_triggerdef(t.oid) AS definition
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE NOT t.tgisinternal AND p.pronamespace = 'public'::regnamespace
       AND c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1) AND t.tgnargs = 0
     ORDER BY 1, 2`,
    [DISTRIBUTED_TABLES],
  );
  for (const { table, name } of rows)
    await client.query(`DROP TRIGGER ${escapeIdentifier(name)} ON ${table}`);
  return rows;
}

/**
 * Makes them again, each with its table as the argument, for the name of a shard is another one. They fire for
 * writers alone: rows that move to another worker are stamped already. Those of TRUNCATE belong to no shard: see
 * `refuseTruncate`.
 */
export async function putTriggersOnShards(
  client: SqlConnection,
  triggers: readonly Trigger[],
): Promise<void> {
  for (const { table, state, definition } of triggers) {
    if (state === REPLICA_ONLY || definition.includes(' TRUNCATE ')) continue;
    await client.query(definition.replace(/\(\)$/, `('${table}')`));
  }
}

/** Brings the functions to the form in which they run on shards. */
export async function adaptFunctions(client: SqlConnection): Promise<void> {
  await client.query(readFileSync(path.join(MIGRATIONS_DIRECTORY, 'citus/functions.sql'), 'utf8'));
  for (const subject of await schemaFunctions(client)) {
    const statement = adaptedFunction(subject);
    if (statement !== undefined) await client.query(statement);
  }
}

/** Makes sure that every node has every function. */
export async function distributeFunctions(client: SqlConnection): Promise<void> {
  for (const { signature } of inOrderOfUse(await schemaFunctions(client))) {
    await client.query('SELECT create_distributed_function($1)', [signature]);
  }
}
