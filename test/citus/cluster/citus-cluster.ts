import { readFile, rm, writeFile } from 'node:fs/promises';
import { chmodSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import {
  createDataDirectory,
  SUPERUSER,
  superuserPassword,
} from '../../../src/embedded-postgres/data-directory.js';
import { freePort } from '../../../src/embedded-postgres/free-port.js';
import { postgresAccount } from '../../../src/embedded-postgres/postgres-account.js';
import type { PostgresBinaries } from '../../../src/embedded-postgres/postgres-binaries.js';
import { startServer, type ServerProcess } from '../../../src/embedded-postgres/server-process.js';
import { temporaryDirectory } from '../../setup/test-cluster.js';

/** Where the run's nodes publish their addresses to the test files. */
export const CITUS_NODES = 'DEAL_SETS_CITUS_NODES';

/** A PostgreSQL of the cluster; the first is the coordinator. */
export interface CitusNode {
  readonly port: number;
  readonly dataDirectory: string;
  readonly password: string;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  shared_preload_libraries: 'citus',
  // Shards move by logical replication, and transactions on two workers are prepared.
  wal_level: 'logical',
  max_prepared_transactions: '200',
  max_connections: '300',
  max_worker_processes: '40',
  shared_buffers: '64MB',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // What is committed outlasts a crash of PostgreSQL all the same, though not one of the machine.
  fsync: 'off',
  full_page_writes: 'off',
  'citus.enable_statistics_collection': 'off',
  // The tests' servers have no certificates.
  'citus.node_conninfo': 'sslmode=disable',
};

/** Starts a node, or starts it again on its data and its port. */
export async function startNode(
  binaries: PostgresBinaries,
  dataDirectory: string,
  port: number,
): Promise<ServerProcess> {
  return startServer({
    dataDirectory,
    binaries,
    account: postgresAccount(dataDirectory, binaries.postgres),
    logFile: `${dataDirectory}.log`,
    port,
    settings: SETTINGS,
  });
}

/**
 * Starts a coordinator and two workers on loopback, with data that are thrown away.
 *
 * @returns the call that stops them.
 */
export async function startCitusCluster(binaries: PostgresBinaries): Promise<() => Promise<void>> {
  const directory = temporaryDirectory('citus');
  chmodSync(directory, 0o755);
  const servers: ServerProcess[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(servers.map((server) => server.stop()));
    await rm(directory, { recursive: true, force: true });
  };
  try {
    const nodes: CitusNode[] = [];
    for (const name of ['coordinator', 'worker-1', 'worker-2']) {
      const dataDirectory = path.join(directory, name);
      const account = postgresAccount(dataDirectory, binaries.postgres);
      await createDataDirectory(dataDirectory, binaries, account, true);
      await trustReadingRoles(dataDirectory);
      const server = await startNode(binaries, dataDirectory, await freePort());
      servers.push(server);
      const own = {
        port: server.port,
        dataDirectory,
        password: await superuserPassword(dataDirectory),
      };
      // The nodes log in to each other: they have one password.
      const password = nodes[0]?.password ?? own.password;
      await onNode(nodeUrl(own, 'postgres'), [`ALTER ROLE ${SUPERUSER} PASSWORD '${password}'`]);
      nodes.push({ ...own, password });
    }
    process.env[CITUS_NODES] = JSON.stringify(nodes);
  } catch (error) {
    await stop();
    throw error;
  }
  return stop;
}

/** The nodes reach each other under the role that reads, too; an operator gives it a password or a certificate. */
async function trustReadingRoles(dataDirectory: string): Promise<void> {
  const file = path.join(dataDirectory, 'pg_hba.conf');
  const rule = 'host all deal_sets_reader,deal_sets_assistant 127.0.0.1/32 trust\n';
  await writeFile(file, rule + (await readFile(file, 'utf8')));
}

export function nodeUrl({ port, password }: CitusNode, database: string): string {
  return `postgres://${SUPERUSER}:${password}@127.0.0.1:${port}/${database}`;
}

/** Runs statements on one node, on a connection of its own. */
export async function onNode(url: string, statements: readonly string[]): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

/** The run's nodes, coordinator first. */
export function citusNodes(): CitusNode[] {
  const nodes = process.env[CITUS_NODES];
  if (nodes === undefined) throw new Error('no Citus cluster runs');
  return JSON.parse(nodes) as CitusNode[];
}
