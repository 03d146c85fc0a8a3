import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { addressOptions, type DatabaseAddress } from '../database/address-options.js';
import { OUTPUT_SETTINGS } from '../database/session-settings.js';
import { readSqlFiles } from '../database/sql-files.js';
import { appliedSqlFiles } from './migrate.js';

const TABLES_FILE = new URL('../../sql/distribute-tables.sql', import.meta.url);
/** The oldest version on which the triggers were tested. */
const MIN_CITUS_VERSION = 13;

/**
 * Settings of the database on every node. They allow triggers on shards and statements within those
 * triggers, and force custom plans: a plan without the buyer's id would be sent to all shards. A
 * statement that changes several shards uses one connection to each node, which sees what the
 * transaction has written before.
 */
const SETTINGS = [
  'citus.enable_unsafe_triggers=on',
  'citus.allow_nested_distributed_execution=on',
  'plan_cache_mode=force_custom_plan',
  'citus.multi_shard_modify_mode=sequential',
  // The workers write the numbers and bytes that results contain.
  `extra_float_digits=${OUTPUT_SETTINGS.extra_float_digits}`,
  `bytea_output=${OUTPUT_SETTINGS.bytea_output}`,
];

async function onEachNode(dataSource: DataSource, statement: string) {
  return dataSource.query<{ node: string; success: boolean; result: string }[]>(
    `SELECT n.nodename || ':' || n.nodeport AS node, r.success, r.result
     FROM run_command_on_all_nodes($1) r JOIN pg_dist_node n USING (nodeid) ORDER BY n.groupid`,
    [statement],
  );
}

const failures = (answers: Awaited<ReturnType<typeof onEachNode>>): string[] =>
  answers.flatMap(({ node, success, result }) => (success ? [] : [`${node}: ${result}`]));

/** Returns what the operator has to do first; empty when there is nothing. */
async function missingBefore(dataSource: DataSource): Promise<string[]> {
  const [extension] = await dataSource.query<{ version: string }[]>(
    `SELECT extversion AS version FROM pg_extension WHERE extname = 'citus'`,
  );
  if (!extension) return ['the extension is not installed here: CREATE EXTENSION citus'];
  if (Number.parseInt(extension.version, 10) < MIN_CITUS_VERSION) {
    return [`Citus is ${extension.version}: ${MIN_CITUS_VERSION} or newer is needed`];
  }
  const missing: string[] = [];
  const nodes = await dataSource.query<{ groupid: number }[]>('SELECT groupid FROM pg_dist_node');
  if (!nodes.some(({ groupid }) => groupid === 0)) {
    missing.push('the address of the coordinator: run citus_set_coordinator_host(…)');
  }
  if (!nodes.some(({ groupid }) => groupid > 0)) {
    missing.push('a worker: run citus_add_node(…)');
  }
  if ((await appliedSqlFiles(dataSource.manager))?.hash !== readSqlFiles().hash) {
    missing.push('the functions of this version: run its `deal-sets migrate` first');
  }
  return missing;
}

/**
 * Applies the settings that the tables need on every node. They take effect in the next session.
 *
 * @returns what is missing; empty when the settings were applied.
 */
export async function prepareNodes(dataSource: DataSource): Promise<string[]> {
  const missing = await missingBefore(dataSource);
  if (missing.length > 0) return missing;
  for (const setting of SETTINGS) {
    // A worker rejects a statement that Citus would propagate to the other nodes.
    const sql = `DO $do$ BEGIN
      SET LOCAL citus.enable_ddl_propagation TO off;
      EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database());
    END $do$`;
    missing.push(...failures(await onEachNode(dataSource, sql)));
  }
  return missing;
}

/**
 * Grants the shard role on the workers only. The coordinator does not need the role, so the
 * statement is sent to each worker and Citus does not propagate it.
 */
const GRANT_SHARDS = `SELECT run_command_on_workers(
  'SET citus.enable_ddl_propagation TO off; GRANT deal_sets_shards TO deal_sets_reader, deal_sets_assistant')`;

/**
 * Distributes the tables and creates the triggers again, in one transaction. Running it again
 * changes nothing.
 */
export async function distributeTables(dataSource: DataSource): Promise<void> {
  const { code, roles, distribution } = readSqlFiles();
  await dataSource.transaction(async (manager) => {
    await manager.query(readFileSync(TABLES_FILE, 'utf8'));
    for (const file of code) await manager.query(file);
    await manager.query(roles);
    await manager.query(distribution);
  });
  await dataSource.query(GRANT_SHARDS);
}

/** Selects, for one node, what is missing there and a checksum of its functions. */
const NODE_CHECK_SQL = `SELECT concat_ws('; ',
    (SELECT 'not set: ' || string_agg(s, ', ') FROM unnest('{${SETTINGS.join(',')}}'::text[]) s
      WHERE NOT EXISTS (SELECT FROM pg_db_role_setting d JOIN pg_database b ON b.oid = d.setdatabase
        WHERE b.datname = current_database() AND d.setrole = 0 AND s = ANY (d.setconfig))),
    CASE WHEN current_setting('max_prepared_transactions')::integer = 0 THEN 'max_prepared_transactions is 0' END,
    (SELECT 'not granted to ' || string_agg(r, ', ') FROM unnest('{deal_sets_reader,deal_sets_assistant}'::text[]) r
      WHERE (SELECT groupid FROM pg_dist_local_group) > 0
        AND NOT COALESCE((SELECT pg_has_role(r, o.oid, 'MEMBER') FROM pg_roles o WHERE o.rolname = 'deal_sets_shards'), false))
  ) || '|' || (SELECT md5(string_agg(p.oid::regprocedure || p.prosrc || coalesce(p.proconfig::text, ''), '' ORDER BY p.proname, p.oid::regprocedure::text))
    FROM pg_proc p WHERE p.pronamespace = 'deal_sets'::regnamespace)`;

/** Selects, on the coordinator, the problems of the distributed tables, one in each row. */
const TABLE_CHECK_SQL = `
  SELECT 'not distributed: ' || string_agg(t, ', ') AS missing
  FROM unnest('{buyer,assistant_grant,deal_set,price_check,question,draft,reply,request_feed,dealership,schema_code}'::text[]) t
  WHERE NOT EXISTS (SELECT FROM pg_dist_partition d WHERE d.logicalrelid = ('deal_sets.' || t)::regclass) HAVING count(*) > 0
  UNION ALL
  SELECT 'a shard begins within one of the 1,024 buckets of buyers: no tenant may be isolated, and 1,024 shards are the most'
  WHERE EXISTS (SELECT FROM pg_dist_shard s WHERE s.logicalrelid = 'deal_sets.buyer'::regclass
    AND (s.shardminvalue::bigint + 2147483648) % 4194304 <> 0)`;

/**
 * Lists what is missing in a distributed database, node by node, without changing anything; empty
 * when nothing is missing.
 *
 * @param readingLogins the logins that read. Citus uses the same logins to connect to the workers.
 */
export async function missingOfDistribution(
  dataSource: DataSource,
  readingLogins: readonly DatabaseAddress[],
): Promise<string[]> {
  const missing = await missingBefore(dataSource);
  if (missing.length > 0) return missing;
  const answers = await onEachNode(dataSource, NODE_CHECK_SQL);
  missing.push(...failures(answers));
  const states = answers.filter(({ success }) => success);
  const here = states[0]?.result.split('|')[1];
  for (const { node, result } of states) {
    const [text = '', functions] = result.split('|');
    if (text !== '') missing.push(`${node}: ${text}`);
    if (functions !== here)
      missing.push(`${node}: functions that differ from those of the coordinator`);
  }
  const tables = await dataSource.query<{ missing: string }[]>(TABLE_CHECK_SQL);
  missing.push(...tables.map((row) => row.missing));
  if (missing.length > 0) return missing;
  for (const login of readingLogins) {
    const reason = await connectionFailureOf(login);
    if (reason !== undefined)
      missing.push(`${new URL(login.url).username} cannot connect: ${reason}`);
  }
  return missing;
}

async function connectionFailureOf(login: DatabaseAddress): Promise<string | undefined> {
  const client = new Client(addressOptions(login));
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT count(id) FROM deal_sets.buyer');
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    await client.end().catch(() => undefined);
  }
}
