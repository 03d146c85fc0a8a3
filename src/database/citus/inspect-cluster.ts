import type { SqlConnection } from './sql-connection.js';
import { BUYERS_TABLES, DISTRIBUTED_TABLES, REFERENCE_TABLES } from './distributed-tables.js';

interface NodeRow {
  readonly nodeid: number;
  readonly address: string;
  readonly groupid: number;
}

/** Whether this database has the extension. */
export async function hasCitus(client: SqlConnection): Promise<boolean> {
  const { rows } = await client.query(`SELECT 1 FROM pg_extension WHERE extname = 'citus'`);
  return rows.length === 1;
}

/** Whether the service's tables are distributed. */
export async function isDistributed(client: SqlConnection): Promise<boolean> {
  if (!(await hasCitus(client))) return false;
  const { rows } = await client.query(
    `SELECT 1 FROM pg_dist_partition WHERE logicalrelid = to_regclass('public.request_feed')`,
  );
  return rows.length === 1;
}

/** What keeps the cluster from being distributed, a sentence each that names the remedy. */
export async function inspectCluster(client: SqlConnection): Promise<string[]> {
  if (!(await hasCitus(client))) {
    return [
      'The extension is missing: put citus first in shared_preload_libraries, restart, and run CREATE EXTENSION citus in this database on every node.',
    ];
  }
  const { rows: nodes } = await client.query<NodeRow>(
    `SELECT nodeid, nodename || ':' || nodeport AS address, groupid FROM pg_dist_node WHERE isactive ORDER BY nodeid`,
  );
  const problems: string[] = [];
  const { rows: own } = await client.query<{ groupid: number }>(
    'SELECT groupid FROM pg_dist_local_group',
  );
  if (own[0]?.groupid !== 0) problems.push('This is a worker: connect to the coordinator.');
  if (!nodes.some(({ groupid }) => groupid === 0)) {
    problems.push(
      `The coordinator has no address: SELECT citus_set_coordinator_host('<host>', <port>).`,
    );
  }
  if (!nodes.some(({ groupid }) => groupid !== 0)) {
    problems.push(`There are no workers: SELECT citus_add_node('<host>', <port>) for each.`);
  }
  const { rows: who } = await client.query<{ is_superuser: boolean }>(
    'SELECT rolsuper AS is_superuser FROM pg_roles WHERE rolname = current_user',
  );
  if (who[0]?.is_superuser !== true) {
    problems.push('This login is no superuser: distribute as one, the service itself needs none.');
  }
  if (problems.length > 0) return problems;
  return [...(await settingProblems(client, nodes)), ...(await roleProblems(client))];
}

async function settingProblems(
  client: SqlConnection,
  nodes: readonly NodeRow[],
): Promise<string[]> {
  const { rows } = await client.query<{ nodeid: number; success: boolean; result: string }>(
    `SELECT nodeid, success, result FROM run_command_on_all_nodes(
       $$SELECT concat_ws(' ', current_setting('max_prepared_transactions'), current_setting('wal_level'),
         current_setting('synchronous_commit'))$$)`,
  );
  return rows.flatMap(({ nodeid, success, result }) => {
    const address = nodes.find((node) => node.nodeid === nodeid)?.address ?? String(nodeid);
    if (!success) return [`${address} does not answer: ${result}.`];
    const [prepared, level, synchronous] = result.split(' ');
    return [
      ...(prepared === '0'
        ? [`${address} has max_prepared_transactions = 0: set it to max_connections or more.`]
        : []),
      ...(level === 'logical'
        ? []
        : [`${address} has wal_level = ${level ?? ''}: set it to logical, or shards cannot move.`]),
      ...(synchronous === 'off'
        ? [
            `${address} has synchronous_commit = off: set it to on, or a crash takes back changes that clients were given.`,
          ]
        : []),
    ];
  });
}

/** A statement on a worker runs under the role that runs it here, so the roles log in there. */
async function roleProblems(client: SqlConnection): Promise<string[]> {
  if (!(await isDistributed(client))) return [];
  const problems: string[] = [];
  for (const role of ['deal_sets_reader', 'deal_sets_assistant']) {
    await client.query(`SET ROLE ${role}`);
    try {
      await client.query('SELECT count(id) FROM buyer');
    } catch (error) {
      problems.push(
        `${role} cannot read on the workers (${error instanceof Error ? error.message : ''}): let it log in there by pg_hba.conf, or give its password in pg_dist_authinfo.`,
      );
    } finally {
      await client.query('RESET ROLE');
    }
  }
  return problems;
}

/** What of a distributed database is not as `distribute` leaves it, a sentence each. */
export async function inspectTables(client: SqlConnection): Promise<string[]> {
  const { rows } = await client.query<{ table: string; kind: string; column: string | null }>(
    `SELECT c.relname AS table, p.partmethod AS kind, column_to_column_name(p.logicalrelid, p.partkey) AS column
     FROM pg_dist_partition p JOIN pg_class c ON c.oid = p.logicalrelid WHERE c.relname = ANY ($1)`,
    [DISTRIBUTED_TABLES],
  );
  const found = new Map(rows.map((row) => [row.table, row]));
  const problems = Object.entries(BUYERS_TABLES).flatMap(([table, column]) =>
    found.get(table)?.column === column ? [] : [`${table} is not distributed by ${column}.`],
  );
  for (const table of REFERENCE_TABLES) {
    if (found.get(table)?.kind !== 'n') problems.push(`${table} is not a reference table.`);
  }
  const { rows: plain } = await client.query<{ name: string }>(
    `SELECT t.tgname AS name FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
     WHERE NOT t.tgisinternal AND p.pronamespace = 'public'::regnamespace AND t.tgnargs = 0
       AND t.tgrelid = ANY ($1::regclass[]) AND t.tgtype & 32 = 0 LIMIT 1`,
    [DISTRIBUTED_TABLES],
  );
  if (plain[0]) problems.push(`The trigger ${plain[0].name} is not that of a distributed table.`);
  return problems;
}
