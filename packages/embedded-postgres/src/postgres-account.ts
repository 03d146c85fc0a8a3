import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';

/** As whom PostgreSQL's programs run. They refuse root, so root must step down for them. */
export interface PostgresAccount {
  /** Owner of the data; undefined: the user of this process. */
  readonly uid?: number;
  readonly gid?: number;
  /** A command that runs the program named by its remaining arguments in another user namespace. */
  readonly prefix: readonly string[];
}

const SELF: PostgresAccount = { prefix: [] };
/** Root outside, an ordinary user inside: nothing has to be handed over, and PostgreSQL is content. */
const MAPPED: PostgresAccount = {
  prefix: ['unshare', '--user', '--map-user=1000', '--map-group=1000'],
};
const CANDIDATES = ['postgres', 'nobody'];

/**
 * Chooses the account for a data folder, which need not exist yet. Data that exist stay with their owner.
 *
 * @param program one of PostgreSQL's programs, tried with `--version`.
 * @throws {EmbeddedPostgresError} when no account can run the program on that folder.
 */
export function postgresAccount(dataDirectory: string, program: string): PostgresAccount {
  const uid = process.getuid?.();
  const owner = statSync(dataDirectory, { throwIfNoEntry: false });
  if (uid !== 0) {
    if (owner && uid !== undefined && owner.uid !== uid) {
      throw new EmbeddedPostgresError(
        `The embedded PostgreSQL's data in ${dataDirectory} belong to another user: start as that user, or delete the folder.`,
      );
    }
    return requireRunnable(SELF, program);
  }
  const accounts = owner
    ? [owner.uid === 0 ? MAPPED : { uid: owner.uid, gid: owner.gid, prefix: [] }]
    : [...unprivilegedAccounts(), MAPPED];
  const chosen = accounts.find(
    (account) => canReach(account, path.dirname(dataDirectory)) && runs(account, program),
  );
  if (chosen) return chosen;
  throw new EmbeddedPostgresError(
    `PostgreSQL refuses to run as root and no other account of this machine can reach ${path.dirname(dataDirectory)}: ` +
      'start as an ordinary user, move the project to a folder others may enter, or set DATABASE_URL.',
  );
}

function requireRunnable(account: PostgresAccount, program: string): PostgresAccount {
  if (runs(account, program)) return account;
  throw new EmbeddedPostgresError(
    `The embedded PostgreSQL's programs in ${path.dirname(program)} do not run on this system (they need glibc, or macOS): set DATABASE_URL.`,
  );
}

function runs(account: PostgresAccount, program: string): boolean {
  const [command = program, ...args]: readonly string[] = [...account.prefix, program, '--version'];
  return spawnSync(command, args, { ...identity(account), stdio: 'ignore', cwd: '/' }).status === 0;
}

/** What `spawn` needs to run as the account. */
export function identity(account: PostgresAccount): { uid?: number; gid?: number } {
  return account.uid === undefined ? {} : { uid: account.uid, gid: account.gid ?? account.uid };
}

function unprivilegedAccounts(): PostgresAccount[] {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n');
  return CANDIDATES.flatMap((name) => {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? [];
    return Number(uid) > 0 ? [{ uid: Number(uid), gid: Number(gid), prefix: [] }] : [];
  });
}

/** Whether the account may pass every folder down to this one. */
function canReach(account: PostgresAccount, directory: string): boolean {
  if (account.uid === undefined) return true;
  for (let folder = path.resolve(directory); ; folder = path.dirname(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false });
    if (found) {
      const bit = found.uid === account.uid ? 0o100 : found.gid === account.gid ? 0o010 : 0o001;
      if (!(found.mode & bit)) return false;
    }
    if (folder === path.dirname(folder)) return true;
  }
}
