/**
 * Implements `npm run demo`: builds the service and its packages unless the build is up to date,
 * and starts the demo. If the port is in use, the script reports this before the build.
 */
import { once } from 'node:events';
import { createServer } from 'node:net';
import { build } from './build.js';

const say = (line) => process.stderr.write(`${line}\n`);

/**
 * Whether the demo's port is free. The demo checks its port again; this check saves the wait for a
 * useless build.
 */
async function isPortFree(port, host) {
  const server = createServer().listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    // After any other error the port counts as free; the demo then reports that error itself.
    return error.code !== 'EADDRINUSE';
  }
  server.close();
  await once(server, 'close');
  return true;
}

const port = Number(process.env.PORT?.trim() || 3000);
if (!Number.isInteger(port) || port < 1 || port > 65_535) {
  say('PORT: expected a whole number from 1 to 65535.');
  process.exitCode = 1;
} else if (!(await isPortFree(port, process.env.HOST?.trim() || '127.0.0.1'))) {
  say(`Port ${port} is in use: stop the process that listens there, or set PORT to another port.`);
  process.exitCode = 1;
} else {
  await build();
  await import('../packages/demo/dist/main.js');
}
