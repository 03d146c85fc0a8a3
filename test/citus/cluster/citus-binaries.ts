import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { PostgresBinaries } from '../../../src/embedded-postgres/postgres-binaries.js';

/** The programs of a PostgreSQL that has the Citus extension, or the reason why there are none. */
export type CitusBinaries = PostgresBinaries | { readonly missing: string };

/** Looks where `PG_CONFIG` points, or the first `pg_config` of the path. */
export function citusBinaries(): CitusBinaries {
  const program = process.env['PG_CONFIG'] ?? 'pg_config';
  let directory: string;
  let libraries: string;
  try {
    const ask = (what: string): string =>
      execFileSync(program, [what], { encoding: 'utf8' }).trim();
    directory = ask('--bindir');
    libraries = ask('--pkglibdir');
  } catch {
    return { missing: `${program} does not run: set PG_CONFIG to that of a PostgreSQL with Citus` };
  }
  if (!existsSync(path.join(libraries, 'citus.so'))) {
    return { missing: `${libraries} has no citus.so: install Citus there, or set PG_CONFIG` };
  }
  const [initdb, postgres, pgCtl] = ['initdb', 'postgres', 'pg_ctl'].map((name) =>
    path.join(directory, name),
  ) as [string, string, string];
  return { directory, initdb, postgres, pgCtl };
}
