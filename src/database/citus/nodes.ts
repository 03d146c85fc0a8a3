import { retryConflicts } from '../retry-conflicts.js';
import { DISTRIBUTED_TABLES } from './distributed-tables.js';
import type { SqlConnection } from './sql-connection.js';

/** Citus passes on what a node said, without its code. */
const DEADLOCK = /deadlock/;

/** Runs a statement on every node; throws what the first that fails said, a deadlock with its code. */
export async function onNodes(client: SqlConnection, command: string): Promise<void> {
  const { rows } = await client.query<{ result: string }>(
    `SELECT result FROM run_command_on_all_nodes($1) WHERE NOT success`,
    [command],
  );
  const [failed] = rows;
  if (!failed) return;
  const error = new Error(failed.result);
  throw DEADLOCK.test(failed.result) ? Object.assign(error, { code: '40P01' }) : error;
}

/** Gives every node the reading roles and their privileges on columns, as the coordinator has them. */
export async function grantOnWorkers(client: SqlConnection): Promise<void> {
  const { rows } = await client.query<{ command: string }>(
    `SELECT format('SELECT public.take_over_grants(%L, %L)', (
       SELECT jsonb_agg(jsonb_build_object('name', r.rolname, 'settings', s.setconfig))
       FROM pg_roles r LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0
       WHERE r.rolname IN ('deal_sets_reader', 'deal_sets_assistant')
     ), (
       SELECT jsonb_agg(g) FROM (
         SELECT c.relname AS table, pg_get_userbyid(x.grantee) AS role, string_agg(quote_ident(a.attname), ', ') AS columns
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid CROSS JOIN LATERAL aclexplode(a.attacl) x
         WHERE c.relnamespace = 'public'::regnamespace AND c.relname = ANY ($1) AND x.privilege_type = 'SELECT' AND NOT a.attisdropped
         GROUP BY 1, 2) g
     )) AS command`,
    [[...DISTRIBUTED_TABLES, 'request_summary']],
  );
  for (const { command } of rows) await onNodes(client, command);
  // One plan for all values cannot say which worker has them.
  for (const role of ['deal_sets_reader', 'deal_sets_assistant']) {
    await client.query(
      `DO $$ BEGIN EXECUTE format('ALTER ROLE ${role} IN DATABASE %I SET plan_cache_mode = auto', current_database()); END $$`,
    );
  }
}

/** Takes away what every node knows of the columns of its shards. A writer that is not stopped may be in the way. */
export async function dropShardViews(client: SqlConnection): Promise<void> {
  await retryConflicts(() => onNodes(client, 'SELECT public.drop_shard_views()'));
}

/** Every node looks the columns of its shards up again. */
export async function renewShardViews(client: SqlConnection): Promise<void> {
  await dropShardViews(client);
  await onNodes(client, 'SELECT count(*) FROM public.local_shard_views()');
}

/** TRUNCATE is a statement on the table as a node knows it, which no trigger of a shard sees: each node refuses it. */
export async function refuseTruncate(client: SqlConnection): Promise<void> {
  await onNodes(client, 'SELECT public.refuse_truncate()');
}
