import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

/** Fields of /proc/PID/stat from the state on; none where there is no /proc, and for a process that has ended. */
function statOf(pid: number | string): number[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    return text
      .slice(text.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
  } catch {
    return [];
  }
}

/** Processor time of a process, in milliseconds: of itself, or of its children that have ended. */
function cpuMs([user = NaN, system = NaN]: number[]): number {
  return (user + system) * TICK_MS;
}

export function cpuMsOf(pid: number): number {
  return cpuMs(statOf(pid).slice(11));
}

/** Of a process's children together, also of those that have ended: PostgreSQL's backends under its server. */
export function cpuMsOfChildren(parentPid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(statOf)
    .filter(([, parent]) => parent === parentPid)
    .reduce((sum, stat) => sum + cpuMs(stat.slice(11)), cpuMs(statOf(parentPid).slice(13)));
}

/** Resident memory in megabytes. */
export function residentMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
}

/** How busy the machine's cores are over a second, 0 to 1. Its load average would still include the build. */
export async function busyShare(): Promise<number> {
  const before = coreTimes();
  await sleep(1_000);
  const after = coreTimes();
  return 1 - (after.idle - before.idle) / (after.all - before.all);
}

function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  const sum = (values: number[]): number => values.reduce((a, b) => a + b, 0);
  return {
    idle: sum(times.map(({ idle }) => idle)),
    all: sum(times.flatMap((time) => Object.values(time))),
  };
}
