/** Starts and stops a server on this machine for other scripts. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const READY_WITHIN_MS = 60_000;

/** Returns a port that nothing listens on. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/**
 * Starts `node` with the given arguments and resolves when the service on `env.PORT` is ready. The
 * result contains the process id and `stop()`, which resolves to the exit code. If the server is
 * not ready within 60 seconds, it is stopped and the promise rejects.
 */
export async function startServer(args, { cwd, env, uid, gid }) {
  const stdio = ['ignore', 'ignore', 'inherit'];
  const child = spawn(process.execPath, args, { cwd, env, uid, gid, stdio });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const stop = () => {
    child.kill('SIGTERM');
    return ended;
  };
  try {
    await ready(`http://127.0.0.1:${env.PORT}/health/ready`, child);
  } catch (error) {
    await stop();
    throw error;
  }
  return { pid: child.pid, stop };
}

async function ready(url, child) {
  const until = Date.now() + READY_WITHIN_MS;
  while (Date.now() < until && child.exitCode === null) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) return;
    await sleep(100);
  }
  throw new Error(
    child.exitCode === null
      ? `the server was not ready within ${READY_WITHIN_MS / 1000} s`
      : `the server ended with code ${child.exitCode} before it was ready`,
  );
}

/** Returns the token of the approved assistant from the demo's `/curl`. */
export async function assistantToken(port) {
  const text = await (await fetch(`http://localhost:${port}/curl`)).text();
  return /^ASSISTANT='Authorization: Bearer ([^']+)'$/m.exec(text)[1];
}
