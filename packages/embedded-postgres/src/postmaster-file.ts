import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';

/** What a running server says of itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly isReady: boolean;
}

/** The server that runs on the data folder; undefined when none does, even if a stale file names one. */
export function runningPostmaster(dataDirectory: string): PostmasterFile | undefined {
  const file = readPostmasterFile(dataDirectory);
  return file && isServerOf(file.pid, dataDirectory) ? file : undefined;
}

/** The file as it is, also when its server is long gone. Undefined: no file, or not yet written whole. */
export function readPostmasterFile(dataDirectory: string): PostmasterFile | undefined {
  let text: string;
  try {
    text = readFileSync(path.join(dataDirectory, 'postmaster.pid'), 'utf8');
  } catch {
    return undefined;
  }
  // Lines: pid, data folder, start time, port, socket folder, listen address, shared memory key, state.
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return undefined;
  return { pid, port: Number(lines[3]) || 0, isReady: lines[7] === 'ready' };
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** As {@link isAlive}, and false for a process that has ended and that its parent has not waited for yet. */
export function isRunning(pid: number): boolean {
  if (!isAlive(pid)) return false;
  try {
    // After the name, which may hold anything, in parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1));
  } catch {
    // Without /proc the process counts as running; on Linux it has gone meanwhile.
    return process.platform !== 'linux';
  }
}

/** Process ids are used again: a live process counts only when it is a server started on this folder. */
function isServerOf(pid: number, dataDirectory: string): boolean {
  return isAlive(pid) && ` ${commandLine(pid)} `.includes(` ${dataDirectory} `);
}

function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    if (process.platform === 'linux') return '';
  }
  try {
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}
