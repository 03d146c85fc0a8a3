import { hash, randomUUID } from 'node:crypto';
import { PostgresGrantStore } from '../../src/auth/postgres-grant-store.js';
import { PostgresSessionStore } from '../../src/auth/postgres-session-store.js';
import type { ReadDatabase } from '../../src/database/read-database.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { grantStoreContract } from '../../packages/testing/src/grant-store.contract.js';
import { sessionStoreContract } from '../../packages/testing/src/session-store.contract.js';
import { onLockedTable } from './on-locked-table.js';
import { runContract } from './run-contract.js';

describe('sign-in stores in PostgreSQL', () => {
  let database: TestDatabase;
  let reads: ReadDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    reads = await readsOn(database.url);
  });

  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  async function buyer(changesGranted = false): Promise<string> {
    const id = randomUUID();
    await database.query('INSERT INTO buyer (id, changes_granted) VALUES ($1, $2)', [
      id,
      changesGranted,
    ]);
    return id;
  }

  describe('sessions', () => {
    const sha256Of = (value: string): Buffer => hash('sha256', value, 'buffer');

    runContract(
      sessionStoreContract({
        store: () => new PostgresSessionStore(reads),
        hung: () => onLockedTable(database, 'buyer_session', new PostgresSessionStore(reads)),
        async put(cookieValue, { expiresAt, revokedAt }) {
          const buyerId = await buyer();
          await database.query(
            `INSERT INTO buyer_session (buyer_id, id, token_sha256, expires_at, revoked_at)
           VALUES ($1, gen_random_uuid(), $2, $3, $4)`,
            [buyerId, sha256Of(cookieValue), expiresAt, revokedAt],
          );
          return { buyerId };
        },
        async revoke(cookieValue) {
          await database.query(
            'UPDATE buyer_session SET revoked_at = now() WHERE token_sha256 = $1',
            [sha256Of(cookieValue)],
          );
        },
      }),
    );

    it('are found through the index', async () => {
      const value = hash('sha256', 'x');
      await database.query(`SET enable_seqscan = off`);
      const plan = await database.query(
        `EXPLAIN SELECT FROM buyer_session WHERE token_sha256 = '\\x${value}' LIMIT 2`,
      );
      expect(JSON.stringify(plan)).toContain('buyer_session_token');
    });
  });

  describe('grants', () => {
    runContract(
      grantStoreContract({
        store: () => new PostgresGrantStore(reads),
        hung: () => onLockedTable(database, 'assistant_grant', new PostgresGrantStore(reads)),
        async put(clientId, { scopes, isHosted, changesGranted }) {
          const buyerId = await buyer(changesGranted);
          await database.query(
            `INSERT INTO assistant_grant (buyer_id, id, client_id, scopes, is_hosted, granted_at)
           VALUES ($1, gen_random_uuid(), $2, $3, $4, now())`,
            [buyerId, clientId, scopes, isHosted],
          );
          return { buyerId };
        },
        async revoke(buyerId, clientId) {
          await database.query(
            'UPDATE assistant_grant SET revoked_at = now() WHERE buyer_id = $1 AND client_id = $2',
            [buyerId, clientId],
          );
        },
      }),
    );
  });
});
