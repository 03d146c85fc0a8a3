import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Cleans up after a run that was killed: its pipe closes when the run's process ends, however that
 * ends. What the run started is known by its `TMPDIR`. PostgreSQL stops by itself and needs its
 * folder until then.
 */
const CLEAN_UP = `
  cat >/dev/null
  for file in $(grep -lsF "TMPDIR=$1" /proc/[0-9]*/environ); do
    process=\${file#/proc/}
    kill -9 "\${process%/environ}"
  done
  for wait in $(seq 120); do
    [ -n "$(find "$1" -name postmaster.pid)" ] || break
    sleep 0.5
  done
  rm -rf "$1"
`;

/** How the folder of a run begins that the process with this id does. */
export function runDirectoryPrefix(pid: number): string {
  return `deal-sets-test-${pid}-`;
}

/**
 * The temporary folder of a run: everything that its processes write to `TMPDIR` is in it, and goes
 * with it.
 */
export class RunDirectory {
  readonly #before = process.env['TMPDIR'];
  readonly #path = mkdtempSync(path.join(tmpdir(), runDirectoryPrefix(process.pid)));
  readonly #watchdog: ChildProcess;

  constructor() {
    // PostgreSQL may run as another account.
    chmodSync(this.#path, 0o755);
    this.#watchdog = spawn('/bin/sh', ['-c', CLEAN_UP, 'sh', this.#path], {
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    (this.#watchdog.stdin as unknown as { unref(): void }).unref();
    this.#watchdog.unref();
    process.env['TMPDIR'] = this.#path;
  }

  remove(): void {
    if (this.#watchdog.pid !== undefined) process.kill(-this.#watchdog.pid, 'SIGKILL');
    if (this.#before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = this.#before;
    rmSync(this.#path, { recursive: true, force: true, maxRetries: 5 });
  }
}
