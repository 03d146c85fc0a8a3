/**
 * `npm run demo`: builds the service and its packages unless the build is up to date, and starts
 * the demo. Problems that would stop the demo are reported before the build.
 */
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { isBuilt, keepBuildRecord, sourceHash } from './build-record.js';

const say = (line) => process.stderr.write(`${line}\n`);

/**
 * The demo checks its port again. Checking it here saves the wait for a build that would be
 * useless.
 */
async function isPortFree(port, host) {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    // Treats the port as free after any other error; the demo then reports that error itself.
    return error.code !== 'EADDRINUSE';
  }
  server.close();
  await once(server, 'close');
  return true;
}

/** @returns whether the build succeeded. */
function build() {
  say('Building: this takes half a minute to a minute, and only when the sources have changed …');
  const source = sourceHash();
  const { status } = spawnSync('npm', ['run', '--silent', 'build:all'], { stdio: 'inherit' });
  if (status !== 0) return false;
  keepBuildRecord(source);
  return true;
}

const port = Number(process.env.PORT?.trim() || 3000);
if (!(await isPortFree(port, process.env.HOST?.trim() || '127.0.0.1'))) {
  say(`Port ${port} is taken: stop what listens there, or set PORT to another.`);
  process.exitCode = 1;
} else if (isBuilt() || build()) {
  await import('../packages/demo/dist/main.js');
} else {
  process.exitCode = 1;
}
