import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A session of the website. */
export interface Session {
  readonly buyerId: string;
  readonly expiresAt: Date;
}

/** Starts a stub of the website's session service. Sessions are stored by cookie value. */
export async function startSessionService() {
  const sessions = new Map<string, Session>();
  const server = createServer((request, response) => {
    const session = sessions.get(request.headers.cookie?.replace('session=', '') ?? '');
    response.writeHead(session ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(session ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sessions,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
