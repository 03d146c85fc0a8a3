import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A session of the website. */
export interface Session {
  readonly buyerId: string;
  readonly expiresAt: Date;
}

/** Starts a stub of the website, with sessions by cookie value and locales by buyer's id. */
export async function startSessionService() {
  const sessions = new Map<string, Session>();
  const locales = new Map<string, string>();
  const find = ({ url = '', headers }: IncomingMessage): object | undefined => {
    if (url === '/session') return sessions.get(headers.cookie?.replace('session=', '') ?? '');
    const locale = locales.get(url.replace('/locales/', ''));
    return locale === undefined ? undefined : { locale };
  };
  const server = createServer((request, response) => {
    const found = find(request);
    response.writeHead(found ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(found ?? {}));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    sessions,
    locales,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
