import { spawn, type ChildProcess } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Cleans up after a run that was killed: its pipe closes when the run's process ends for any
 * reason. The processes of the run are identified by their `TMPDIR`. PostgreSQL stops on its own
 * and needs its folder until then.
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

/** The beginning of the folder name of the run whose process has this id. */
export function runDirectoryPrefix(pid: number): string {
  return `deal-sets-test-${pid}-`;
}

/**
 * The temporary folder of a run. It contains everything that its processes write to `TMPDIR`, and
 * is removed with all of it.
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
