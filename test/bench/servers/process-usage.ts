import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';

/** Linux counts processor time in hundredths of a second. */
const TICK_MS = 10;

interface ProcessState {
  readonly parentPid: number;
  readonly cpuMs: number;
  /** Of its children that have ended. */
  readonly endedChildrenCpuMs: number;
}

/** Null where there is no /proc, and for a process that has ended. */
function stateOf(pid: number | string): ProcessState | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name, in brackets, may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return {
      parentPid: Number(fields[1]),
      cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
      endedChildrenCpuMs: (Number(fields[13]) + Number(fields[14])) * TICK_MS,
    };
  } catch {
    return null;
  }
}

/** Processor time a process has used, in milliseconds. */
export function cpuMsOf(pid: number): number {
  return stateOf(pid)?.cpuMs ?? NaN;
}

/** Processor time of a process's children together, also of those that have ended: PostgreSQL's backends under its server. */
export function cpuMsOfChildren(parentPid: number): number {
  let pids: string[];
  try {
    pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return NaN;
  }
  return pids
    .map(stateOf)
    .reduce(
      (sum, state) => sum + (state?.parentPid === parentPid ? state.cpuMs : 0),
      stateOf(parentPid)?.endedChildrenCpuMs ?? NaN,
    );
}

/** Resident memory in megabytes. */
export function residentMb(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1024;
  } catch {
    return NaN;
  }
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
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce(
      (sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq,
      0,
    ),
  };
}
