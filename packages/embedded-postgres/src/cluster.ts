import { execFileSync, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { freePort, randomPort } from './free-port.js';
import { EmbeddedPostgresError, Programs } from './programs.js';

const PASSWORD_FILE = 'superuser.password';
/** The time limit of the server's start. It is long because recovery after a crash takes time. */
const START_LIMIT_SECONDS = 120;
const STOP_LIMIT_SECONDS = 10;

/** A running server, as described by its `postmaster.pid`. */
export interface Postmaster {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** PostgreSQL settings by name. */
export type Settings = Readonly<Record<string, string>>;

/** A data directory of PostgreSQL, and the server that runs on it. */
export class Cluster {
  readonly #logFile: string;
  #watchdog: ChildProcess | undefined;

  constructor(readonly dataDirectory: string) {
    this.#logFile = `${dataDirectory}.log`;
  }

  /**
   * Reads the superuser's password, which was generated with the cluster.
   *
   * @throws {EmbeddedPostgresError} if the file cannot be read.
   */
  async password(): Promise<string> {
    const file = path.join(this.dataDirectory, PASSWORD_FILE);
    const text = await readFile(file, 'utf8').catch((error: unknown) => {
      throw EmbeddedPostgresError.ofFile(error, file);
    });
    return text.trim();
  }

  /**
   * Returns the server that runs on the directory, or undefined if there is none. Removes a lock
   * file whose process id now belongs to another program, for example after a restart of the
   * machine, because PostgreSQL would consider it valid.
   */
  running(): Postmaster | undefined {
    const postmaster = readPostmasterFile(this.dataDirectory);
    if (!postmaster || !isRunning(postmaster.pid)) return undefined;
    if (` ${commandLine(postmaster.pid)} `.includes(` ${this.dataDirectory} `)) return postmaster;
    rmSync(path.join(this.dataDirectory, 'postmaster.pid'), { force: true });
    return undefined;
  }

  /**
   * Creates the cluster unless it exists. It is created under another name and renamed when it is
   * complete, so a process that is killed leaves no incomplete cluster. If two processes create it
   * at the same time, both use the cluster of the one that finishes first.
   *
   * @param isThrowAway whether the data may be lost in a power failure. This is faster.
   * @throws {EmbeddedPostgresError} if the cluster cannot be created.
   */
  async make(isThrowAway: boolean): Promise<void> {
    const { dataDirectory } = this;
    const isMade = (): boolean => existsSync(path.join(dataDirectory, 'PG_VERSION'));
    if (isMade()) return;
    const draft = `${dataDirectory}.${process.pid}.new`;
    const passwordFile = `${draft}.password`;
    try {
      await rm(draft, { recursive: true, force: true });
      await mkdir(draft, { mode: 0o700 });
      await writeFile(passwordFile, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600 });
      const programs = Programs.for(dataDirectory);
      programs.give(draft, passwordFile);
      const { code, said } = await programs.run('initdb', [
        ...[`--pgdata=${draft}`, '--username=postgres', `--pwfile=${passwordFile}`],
        ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
        ...(isThrowAway ? ['--no-sync'] : []),
      ]);
      if (code !== 0) {
        const reason = /^initdb: error: (.*)$/m.exec(said)?.[1] ?? `initdb ended with ${code}`;
        throw EmbeddedPostgresError.create(
          `could not create its data folder (${reason}): fix the cause`,
        );
      }
      await rename(passwordFile, path.join(draft, PASSWORD_FILE));
      await rename(draft, dataDirectory);
    } catch (error) {
      if (!isMade()) throw EmbeddedPostgresError.ofFile(error, dataDirectory);
    } finally {
      await rm(passwordFile, { force: true });
      await rm(draft, { recursive: true, force: true });
    }
  }

  /**
   * Starts the server on a free port. The server ends with this process, even if the process is
   * killed. Ctrl-C in a terminal does not reach the server, because `pg_ctl` starts it in a
   * separate session.
   *
   * @returns false if another process was faster and took the data directory or the port.
   * @throws {EmbeddedPostgresError} if the server does not start.
   */
  async start(settings: Settings): Promise<boolean> {
    const programs = Programs.for(this.dataDirectory);
    // Until the server is ready, it writes to a separate log: of two concurrent starts, the loser
    // must not write to the winner's log.
    const draftLog = `${this.#logFile}.${process.pid}`;
    await writeFile(draftLog, '', { mode: 0o600 }).catch((error: unknown) => {
      throw EmbeddedPostgresError.ofFile(error, draftLog);
    });
    programs.give(draftLog);
    const serverSettings = { port: String(await this.#choosePort()), ...settings };
    const options = Object.entries(serverSettings).map(([name, value]) => `-c ${name}='${value}'`);
    this.#watchdog = this.#stopWithThisProcess(programs);
    const { code } = await programs.run('pg_ctl', [
      ...['start', '--pgdata', this.dataDirectory, '--log', draftLog, '--silent', '--wait'],
      ...['--timeout', String(START_LIMIT_SECONDS), '--options', options.join(' ')],
    ]);
    const log = await readFile(draftLog, 'utf8');
    if (code !== 0) this.#endWatchdog();
    if (
      code !== 0 &&
      /lock file "postmaster.pid"|pre-existing shared memory|could not create any TCP/.test(log)
    ) {
      await rm(draftLog, { force: true });
      return false;
    }
    await rename(draftLog, this.#logFile);
    if (code === 0) return true;
    if (/database files are incompatible with server/.test(log)) {
      throw EmbeddedPostgresError.create(
        `has data in ${this.dataDirectory} that was made by another version of PostgreSQL: delete the folder`,
      );
    }
    if (/No space left on device/.test(log)) {
      throw EmbeddedPostgresError.create(
        `has no disk space left in ${this.dataDirectory}: free some`,
      );
    }
    throw EmbeddedPostgresError.create(`did not start: see ${this.#logFile}`);
  }

  /** Stops the server. Connections are closed; committed data is kept. */
  async stop(): Promise<void> {
    this.#endWatchdog();
    for (const mode of ['fast', 'immediate']) {
      if (!this.running()) return;
      await Programs.for(this.dataDirectory).run('pg_ctl', this.#stopArguments(mode));
    }
  }

  /**
   * Returns the port of the last start if it is free, so that addresses stored elsewhere stay
   * valid. Otherwise returns another free port.
   */
  #choosePort(): Promise<number> {
    const last = readLastPort(this.dataDirectory);
    let draws = 0;
    return freePort(() => (draws++ === 0 && last !== undefined ? last : randomPort()));
  }

  #stopArguments(mode: string): string[] {
    const limit = String(STOP_LIMIT_SECONDS);
    return ['stop', '--pgdata', this.dataDirectory, '--mode', mode, '--timeout', limit, '--silent'];
  }

  /**
   * Starts a shell that stops the server when this process ends. The shell waits until a pipe
   * closes that only this process holds open. The pipe closes even after `kill -9`.
   */
  #stopWithThisProcess(programs: Programs): ChildProcess {
    const stop = [programs.pathOf('pg_ctl'), ...this.#stopArguments('fast')];
    const watchdog = programs.spawn(
      ['/bin/sh', '-c', 'cat >/dev/null; exec "$@"', 'sh', ...stop],
      ['pipe', 'ignore', 'ignore'],
    );
    watchdog.on('error', () => undefined);
    watchdog.stdin?.on('error', () => undefined);
    (watchdog.stdin as unknown as { unref(): void }).unref();
    watchdog.unref();
    return watchdog;
  }

  /**
   * Ends the watchdog. Otherwise it could stop a server that another process starts on the
   * directory later.
   */
  #endWatchdog(): void {
    const pid = this.#watchdog?.pid;
    this.#watchdog = undefined;
    if (pid === undefined) return;
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The watchdog has already ended.
    }
  }
}

/**
 * Reads `postmaster.pid`, which may belong to a server that no longer runs.
 *
 * @returns undefined if there is no file, or if it is incomplete.
 */
export function readPostmasterFile(dataDirectory: string): Postmaster | undefined {
  const file = path.join(dataDirectory, 'postmaster.pid');
  // The file is read without an earlier check that it exists, because PostgreSQL may remove it
  // between the check and the read.
  const text = readIfThere(file);
  if (text === undefined) return undefined;
  // Lines: pid, data folder, start time, port, socket folder, listen address, shared memory key,
  // state.
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]) || 0, isReady: lines[7] === 'ready' };
}

/**
 * Returns the port of the last start, which PostgreSQL stores with the other options of its command
 * line.
 */
function readLastPort(dataDirectory: string): number | undefined {
  const options = readIfThere(path.join(dataDirectory, 'postmaster.opts')) ?? '';
  const port = /"port='?(\d{1,5})'?"/.exec(options)?.[1];
  return port === undefined ? undefined : Number(port);
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns whether a process is running. A zombie, which has ended but whose parent has not waited
 * for it yet, does not count as running.
 */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false;
  }
  try {
    // The state follows the name, which is in parentheses and may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    // On Linux, the process has ended in the meantime. On a system without /proc, the process
    // counts as running.
    return process.platform !== 'linux';
  }
}

function commandLine(pid: number): string {
  try {
    if (process.platform === 'linux') {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    }
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
