import { Connection, type PoolClient } from 'pg';

/** What the driver keeps of a connection and its types do not name. */
export interface CancellableClient extends PoolClient {
  readonly sslNegotiation: string;
  /** The server's process and the key that entitles to cancel what it runs. */
  readonly processID: number | null;
  readonly secretKey: number | null;
}

interface CancelConnection extends Connection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Asks the server, on a connection of its own, to stop what the client runs: by the protocol's own request, because
 * behind a pooler the process id of a session is not the client's to know. The request may arrive late: the caller
 * destroys the client, which may run nothing else.
 *
 * @returns whether the server took the request within the time; by then the signal has been sent.
 */
export function cancelStatement(client: CancellableClient, limitMs: number): Promise<boolean> {
  const { processID, secretKey, ssl, sslNegotiation, host, port } = client;
  if (processID === null || secretKey === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    const connection = new Connection({ ssl, sslNegotiation } as never) as CancelConnection;
    let isSent = false;
    const finish = (isTaken: boolean): void => {
      clearTimeout(timer);
      connection.stream.destroy();
      resolve(isTaken);
    };
    const timer = setTimeout(finish, limitMs, false);
    const send = (): void => {
      isSent = true;
      connection.cancel(processID, secretKey);
    };
    // Stays for good: a socket may fail again after it was given up.
    connection.on('error', () => finish(false));
    // The server closes the connection after it has forwarded the request.
    connection.on('end', () => finish(isSent));
    connection.on('connect', () => {
      if (!ssl) send();
      else if (sslNegotiation !== 'direct') connection.requestSsl();
    });
    connection.on('sslconnect', send);
    if (host.startsWith('/')) connection.connect(`${host}/.s.PGSQL.${port}` as never, '');
    else connection.connect(port, host);
  });
}
