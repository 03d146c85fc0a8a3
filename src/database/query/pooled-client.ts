import type { PoolClient } from 'pg';
import type { PreparedStatements } from './statement-run.js';

/** What the driver keeps of a connection and its types do not name. */
export interface PooledClient extends PoolClient {
  readonly sslNegotiation: string;
  /** The server's process and the key that entitles to cancel what it runs. */
  readonly processID: number | null;
  readonly secretKey: number | null;
  /** Of the pool when the connection was made; a pool that lost its server lends no older ones. */
  generation?: number;
  /** The prepared statements of the connection; absent where statements have no names. */
  prepared?: PreparedStatements;
}
