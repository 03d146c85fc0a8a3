import { chownSync, copyFileSync, chmodSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerCertificate } from './certificates.js';
import { eventually } from './eventually.js';
import { OwnCluster } from './own-cluster.js';
import { openTestDatabase, type TestDatabase } from './test-database.js';

/** A temporary PostgreSQL with a migrated database, which accepts connections only over TLS. */
export class TlsCluster {
  private constructor(
    private readonly cluster: OwnCluster,
    /** The address of its database, which verifies the certificate. */
    readonly database: TestDatabase,
  ) {}

  static async start(certificate: ServerCertificate): Promise<TlsCluster> {
    const cluster = await OwnCluster.start();
    try {
      await acceptTlsAlone(cluster, certificate);
      const url = withVerification(cluster.url, certificate.ca);
      const database = await openTestDatabase(url, () => Promise.resolve());
      return new TlsCluster(cluster, database);
    } catch (error) {
      await cluster.remove();
      throw error;
    }
  }

  /** The address without TLS parameters. */
  get plainUrl(): string {
    return this.cluster.url;
  }

  async remove(): Promise<void> {
    await this.database.drop();
    await this.cluster.remove();
  }
}

/** The address with `sslmode=verify-full` and this authority. */
export function withVerification(url: string, ca: string): string {
  const address = Object.assign(new URL(url), { hostname: 'localhost' });
  address.searchParams.set('sslmode', 'verify-full');
  address.searchParams.set('sslrootcert', ca);
  return address.href;
}

async function acceptTlsAlone(
  { database, dataDirectory }: OwnCluster,
  { cert, key }: ServerCertificate,
): Promise<void> {
  const { uid, gid } = statSync(dataDirectory);
  for (const [from, name] of [
    [cert, 'server.crt'],
    [key, 'server.key'],
  ] as const) {
    const file = path.join(dataDirectory, name);
    copyFileSync(from, file);
    chmodSync(file, 0o600);
    chownSync(file, uid, gid);
  }
  const { query } = database;
  await query('ALTER SYSTEM SET ssl = on');
  const rules = path.join(dataDirectory, 'pg_hba.conf');
  writeFileSync(rules, 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
  await query('SELECT pg_reload_conf()');
  await eventually(() => expect(query('SELECT')).rejects.toMatchObject({ code: '28000' }));
}
