import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync, openSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, fileProblem } from './embedded-postgres-error.js';
import { identity, type PostgresAccount } from './postgres-account.js';
import type { PostgresBinaries } from './postgres-binaries.js';
import { isAlive, readPostmasterFile } from './postmaster-file.js';

/** Recovery after a crash may replay a lot. */
const START_LIMIT_MS = 120_000;
const POLL_MS = 15;
const FAST_STOP_LIMIT_MS = 10_000;
const IMMEDIATE_STOP_LIMIT_MS = 5_000;

export interface ServerOptions {
  readonly dataDirectory: string;
  readonly binaries: PostgresBinaries;
  readonly account: PostgresAccount;
  readonly port: number;
  /** PostgreSQL's own settings by name. */
  readonly settings: Readonly<Record<string, string>>;
  /** Each start begins it anew, so that it cannot grow from run to run. */
  readonly logFile: string;
}

/** A server that this process started and stops. */
export interface ServerProcess {
  readonly pid: number;
  readonly port: number;
  stop(): Promise<void>;
}

/** Someone else was faster: with the data folder, or with the port. The start may be tried again. */
export class ServerTaken extends Error {
  override readonly name = 'ServerTaken';

  /** @param isLocked the data folder's lock file names a live process. */
  constructor(readonly isLocked: boolean) {
    super('taken');
  }
}

/**
 * Starts a server and waits until it takes connections. It gets a session of its own: Ctrl-C in a terminal
 * goes to every process of the foreground group, and a database that stopped at once would break the
 * answers in flight. Instead it is stopped by {@link ServerProcess.stop}, or, when this process dies
 * without a word, by a watchdog.
 *
 * @throws {ServerTaken} when the data folder or the port is in use.
 * @throws {EmbeddedPostgresError} when the server does not start.
 */
export async function startServer(options: ServerOptions): Promise<ServerProcess> {
  const { dataDirectory, binaries, account, port } = options;
  const settings = Object.entries(options.settings).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
  const args = [binaries.postgres, '-D', dataDirectory, '-p', String(port), ...settings];
  const [command = binaries.postgres, ...prefixed] = [...account.prefix, ...args];
  // Until it is ready, a start has a log of its own: of two starts the loser must not write into the winner's.
  const draftLog = `${options.logFile}.${process.pid}`;
  const log = openLog(draftLog);
  const child = spawn(command, prefixed, {
    ...identity(account),
    cwd: '/',
    env: { LC_ALL: 'C', PATH: '/usr/local/bin:/usr/bin:/bin' },
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve()).once('error', () => resolve());
  });
  const { pid } = child;
  if (pid === undefined) {
    await exited;
    throw new EmbeddedPostgresError(
      `The embedded PostgreSQL could not be started as ${command}: set DATABASE_URL.`,
    );
  }
  const watchdog = startWatchdog(pid);
  void exited.then(() => endWatchdog(watchdog));
  await waitUntilReady(child, pid, options, draftLog);
  renameSync(draftLog, options.logFile);
  child.unref();
  return { pid, port, stop: () => stopServer(pid, exited) };
}

/** Stops a server of some earlier process, as gently as time allows. */
export async function stopOrphan(pid: number): Promise<void> {
  await stopServer(pid, waitUntilGone(pid));
}

async function stopServer(pid: number, exited: Promise<void>): Promise<void> {
  // Fast shutdown first, immediate shutdown next: the next start then recovers from the log.
  for (const [signal, limitMs] of [
    ['SIGINT', FAST_STOP_LIMIT_MS],
    ['SIGQUIT', IMMEDIATE_STOP_LIMIT_MS],
    ['SIGKILL', IMMEDIATE_STOP_LIMIT_MS],
  ] as const) {
    if (!sendSignal(pid, signal)) return;
    // The child is no reason for this process to live on; this timer is, until the child is gone.
    const wait = new AbortController();
    const late = sleep(limitMs, false, { signal: wait.signal });
    const isGone = await Promise.race([exited.then(() => true), late]);
    wait.abort();
    if (isGone) return;
  }
}

/** @returns false when the process is gone already. */
function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw new EmbeddedPostgresError(
      'The embedded PostgreSQL runs under another user: start as that user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  while (isAlive(pid)) await sleep(POLL_MS);
}

async function waitUntilReady(
  child: ChildProcess,
  pid: number,
  options: ServerOptions,
  draftLog: string,
): Promise<void> {
  const until = Date.now() + START_LIMIT_MS;
  for (;;) {
    if (child.exitCode !== null || child.signalCode !== null) throw startFailure(options, draftLog);
    const file = readPostmasterFile(options.dataDirectory);
    if (file?.pid === pid && file.isReady) return;
    if (Date.now() > until) {
      await stopOrphan(pid);
      throw startFailure(options, draftLog);
    }
    await sleep(POLL_MS);
  }
}

/** Reads from the server's log why it did not start. */
function startFailure({ logFile, dataDirectory }: ServerOptions, draftLog: string): Error {
  const log = readFileSync(draftLog, 'utf8');
  if (/lock file "postmaster.pid" already exists|pre-existing shared memory block/.test(log)) {
    rmSync(draftLog);
    return new ServerTaken(log.includes('lock file'));
  }
  if (/could not create any TCP\/IP sockets/.test(log)) {
    rmSync(draftLog);
    return new ServerTaken(false);
  }
  renameSync(draftLog, logFile);
  if (/database files are incompatible with server/.test(log)) {
    return new EmbeddedPostgresError(
      `The data in ${dataDirectory} were made by another version of PostgreSQL: delete the folder, or set DATABASE_URL.`,
    );
  }
  if (/No space left on device/.test(log)) {
    return new EmbeddedPostgresError(
      `The embedded PostgreSQL in ${dataDirectory} has no disk space left: free some, or set DATABASE_URL.`,
    );
  }
  return new EmbeddedPostgresError(
    `The embedded PostgreSQL did not start: see ${logFile}, or set DATABASE_URL.`,
  );
}

function openLog(logFile: string): number {
  try {
    return openSync(logFile, 'w', 0o600);
  } catch (error) {
    throw fileProblem(error, logFile);
  }
}

/** Waits for the end of a pipe that only this process holds open: it closes even after `kill -9`. */
function startWatchdog(postmasterPid: number): ChildProcess {
  const watchdog = spawn(
    '/bin/sh',
    ['-c', 'cat >/dev/null; kill -INT "$0"', String(postmasterPid)],
    {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    },
  );
  watchdog.on('error', () => undefined);
  watchdog.stdin.on('error', () => undefined);
  (watchdog.stdin as unknown as { unref(): void }).unref();
  watchdog.unref();
  return watchdog;
}

/** Once the server is gone its process id may come to mean another process. */
function endWatchdog(watchdog: ChildProcess): void {
  if (watchdog.pid === undefined || watchdog.exitCode !== null || watchdog.signalCode !== null)
    return;
  sendSignal(-watchdog.pid, 'SIGKILL');
}
