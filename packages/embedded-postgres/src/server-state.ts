import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Which process runs the server: other commands of the same folder use it, and leave it running. */
export interface ServerState {
  readonly port: number;
  readonly pid: number;
  /** The process that started the server and stops it. */
  readonly ownerPid: number;
}

export function readServerState(file: string): ServerState | undefined {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8')) as Partial<ServerState>;
    const { port, pid, ownerPid } = state;
    return port && pid && ownerPid ? { port, pid, ownerPid } : undefined;
  } catch {
    return undefined;
  }
}

export function writeServerState(file: string, state: ServerState): void {
  const draft = `${file}.${process.pid}.new`;
  writeFileSync(draft, `${JSON.stringify(state)}\n`);
  renameSync(draft, file);
}

/** Removes the state unless it is by now another server's. */
export function removeServerState(file: string, pid: number): void {
  if (readServerState(file)?.pid === pid) rmSync(file, { force: true });
}
