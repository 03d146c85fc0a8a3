import { spawnSync } from 'node:child_process';
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Client } from 'pg';
import { Cluster } from '../../../packages/embedded-postgres/src/cluster.js';
import { eventually } from '../../setup/eventually.js';
import type { OwnCluster } from '../../setup/own-cluster.js';
import { openTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** Settings that a cluster needs before its start for replicas and prepared transactions. */
export const REPLICATED = {
  max_connections: '100',
  max_prepared_transactions: '10',
  max_wal_senders: '10',
  wal_level: 'logical',
  // Otherwise a commit reaches a replica only when the primary flushes its log.
  synchronous_commit: 'on',
};

/** A streaming replica of a cluster. */
export class Standby {
  private constructor(
    readonly url: string,
    private readonly server: Cluster,
    private readonly client: Client,
    private readonly primary: TestDatabase,
  ) {}

  /** Copies the running primary like a base backup, and starts the copy as its replica. */
  static async start(cluster: OwnCluster, primary: TestDatabase, name: string): Promise<Standby> {
    const dataDirectory = path.join(path.dirname(cluster.dataDirectory), name);
    await primary.query(`SELECT pg_backup_start('standby', true)`);
    // PostgreSQL runs as the owner of the original.
    copyFolder(cluster.dataDirectory, dataDirectory);
    const [backup] = await primary.query<{ labelfile: string }>(
      'SELECT labelfile FROM pg_backup_stop(false)',
    );
    for (const file of ['postmaster.pid', 'postmaster.opts']) {
      rmSync(path.join(dataDirectory, file));
    }
    const { uid, gid } = statSync(dataDirectory);
    for (const [file, text] of [
      ['backup_label', backup!.labelfile],
      ['standby.signal', ''],
    ] as const) {
      writeFileSync(path.join(dataDirectory, file), text);
      chownSync(path.join(dataDirectory, file), uid, gid);
    }

    const { hostname, port: primaryPort, username, password } = new URL(primary.url);
    const server = new Cluster(dataDirectory);
    await server.start({
      ...REPLICATED,
      fsync: 'off',
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      timezone: 'UTC',
      primary_conninfo: `host=${hostname} port=${primaryPort} user=${username} password=${password}`,
    });
    const port = String(server.running()!.port);
    const url = Object.assign(new URL(primary.url), { port }).href;
    const { client } = await openTestDatabase(url, () => Promise.resolve());
    return new Standby(url, server, client, primary);
  }

  /** Stops replaying what the primary commits from now on. */
  async pause(): Promise<void> {
    await this.client.query('SELECT pg_wal_replay_pause()');
    await eventually(async () => {
      const { rows } = await this.client.query('SELECT pg_get_wal_replay_pause_state() AS state');
      expect(rows).toEqual([{ state: 'paused' }]);
    });
  }

  async resume(): Promise<void> {
    await this.client.query('SELECT pg_wal_replay_resume()');
  }

  /** Waits until everything that is committed on the primary now is visible here. */
  async catchUp(): Promise<void> {
    const [row] = await this.primary.query<{ lsn: string }>('SELECT pg_current_wal_lsn() AS lsn');
    await eventually(async () => {
      const { rows } = await this.client.query<{ is_there: boolean }>(
        'SELECT pg_last_wal_replay_lsn() >= $1::pg_lsn AS is_there',
        [row!.lsn],
      );
      expect(rows).toEqual([{ is_there: true }]);
    });
  }

  async stop(): Promise<void> {
    await this.client.end();
    await this.server.stop();
  }
}

/** Copies a folder in use, and skips files that the server removes meanwhile. */
function copyFolder(from: string, to: string): void {
  const env = { ...process.env, LC_ALL: 'C' };
  const { stderr } = spawnSync('cp', ['-a', from, to], { encoding: 'utf8', env });
  const failures = stderr
    .split('\n')
    .filter((line) => line !== '' && !line.endsWith('No such file or directory'));
  if (failures.length > 0) throw new Error(failures.join('\n'));
}
