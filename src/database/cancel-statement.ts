import { Connection, type PoolClient } from 'pg';

/** A client of the driver, with the members that its types do not declare. */
export interface CancellableClient extends PoolClient {
  readonly sslNegotiation: string;
  /** The server process and the secret key that authorize a cancel request. */
  readonly processID: number | null;
  readonly secretKey: number | null;
}

interface CancelConnection extends Connection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

/**
 * Requests cancellation of the client's running statement over a separate connection. It uses the
 * protocol's cancel request instead of a statement, because the id of the server process is not
 * available behind a pooler. The request may arrive late, so the caller must destroy the client and
 * run nothing else on it.
 *
 * @param limitMs the longest wait, in milliseconds.
 * @returns whether the server accepted the request within the limit. If so, it has signaled the
 *   process that runs the statement.
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
    // This listener is never removed, because a socket may fail again after it was abandoned.
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
