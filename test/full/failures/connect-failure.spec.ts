import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { Pool } from 'pg';
import { errorFields } from '../../../src/observability/error-fields.js';
import { connectFailure } from '../../../src/database/driver-errors.js';

describe('connectFailure', () => {
  it('gives a code to the errors of a pool that has no connection in time', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
    await once(silent, 'listening');
    const { port } = silent.address() as AddressInfo;
    const pool = new Pool({ host: '127.0.0.1', port, max: 1, connectionTimeoutMillis: 100 });
    const failureOf = (): Promise<Error> =>
      pool.connect().then(
        () => new Error('connected'),
        (error: unknown) => error as Error,
      );
    try {
      // The first waits for the login, the second for the only place in the pool.
      const failures = await Promise.all([failureOf(), failureOf()]);
      expect(new Set(failures.map(({ message }) => message)).size).toBe(2);
      for (const failure of failures) {
        const { cause } = connectFailure(failure);
        expect(errorFields(cause).errorCode).toBe('CONNECT_TIMEOUT');
      }
    } finally {
      await pool.end();
      for (const socket of sockets) socket.destroy();
      silent.close();
    }
  });
});
