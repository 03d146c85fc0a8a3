import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EmbeddedPostgresError, fileProblem } from './embedded-postgres-error.js';
import { identity, type PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';

/** A fresh cluster takes 40 MB, and a first load of data some more. */
const LEAST_FREE_BYTES = 200 * 1024 * 1024;
const PASSWORD_FILE = 'superuser.password';

/** Name of the cluster's superuser; only this machine can reach it. */
export const SUPERUSER = 'postgres';

/** The superuser's password, which was drawn when the cluster was made. */
export async function superuserPassword(dataDirectory: string): Promise<string> {
  const file = path.join(dataDirectory, PASSWORD_FILE);
  return (
    await readFile(file, 'utf8').catch((error: unknown) => Promise.reject(fileProblem(error, file)))
  ).trim();
}

export async function isDataDirectory(dataDirectory: string): Promise<boolean> {
  return stat(path.join(dataDirectory, 'PG_VERSION')).then(
    () => true,
    () => false,
  );
}

/**
 * Makes a cluster where there is none. It is made beside its place and moved there when complete: a kill
 * leaves no half of one, and of two processes that do it at once one wins and the other uses that.
 *
 * @param isThrowAway the data need not survive a power failure.
 */
export async function createDataDirectory(
  dataDirectory: string,
  binaries: PostgresBinaries,
  account: PostgresAccount,
  isThrowAway: boolean,
): Promise<void> {
  if (await isDataDirectory(dataDirectory)) return;
  const draft = `${dataDirectory}.${process.pid}.new`;
  const passwordFile = `${draft}.password`;
  try {
    await checkFreeSpace(path.dirname(dataDirectory));
    await rm(draft, { recursive: true, force: true });
    await mkdir(draft, { mode: 0o700 });
    await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
    if (account.uid !== undefined) {
      for (const file of [draft, passwordFile])
        await chown(file, account.uid, account.gid ?? account.uid);
    }
    await runInitdb(binaries, account, [
      `--pgdata=${draft}`,
      `--username=${SUPERUSER}`,
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      ...(isThrowAway ? ['--no-sync'] : []),
    ]);
    await rename(passwordFile, path.join(draft, PASSWORD_FILE));
    await rename(draft, dataDirectory);
  } catch (error) {
    if (await isDataDirectory(dataDirectory)) return;
    throw error instanceof EmbeddedPostgresError ? error : fileProblem(error, dataDirectory);
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

async function checkFreeSpace(directory: string): Promise<void> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < LEAST_FREE_BYTES) {
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL needs 200 MB of free disk space in ${directory}: free some, or set DATABASE_URL.`,
    );
  }
}

async function runInitdb(
  binaries: PostgresBinaries,
  account: PostgresAccount,
  args: readonly string[],
): Promise<void> {
  const [command = binaries.initdb, ...prefixed] = [...account.prefix, binaries.initdb, ...args];
  const child = spawn(command, prefixed, {
    ...identity(account),
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['ignore', 'ignore', 'pipe'],
    detached: true,
  });
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code === 0) return;
  const reason =
    /^initdb: error: (.*)$/m.exec(said)?.[1] ?? /^.*(?:FATAL|PANIC): +(.*)$/m.exec(said)?.[1];
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL could not make its data folder (${reason ?? `initdb ended with ${String(code)}`}): remedy that, or set DATABASE_URL.`,
  );
}
