import { createServer } from 'node:net';

/**
 * Fails at once when a port is taken, before anything else is done for it.
 *
 * @throws the system's error, as listening would.
 */
export async function assertPortFree(host: string, port: number): Promise<void> {
  if (port === 0) return;
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  await new Promise<void>((resolve) => {
    server.close(() => resolve());
  });
}
