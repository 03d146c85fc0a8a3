import { hash, randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { Redis as Redis5 } from 'ioredis-5';
import { Redis } from 'ioredis-6';
import { PostgresGrantStore } from '../../../src/auth/bearer/postgres-grant-store.js';
import { PostgresSessionStore } from '../../../src/auth/session/postgres-session-store.js';
import { loadSettings } from '../../../src/config/settings.js';
import type { PooledReadDatabase } from '../../../src/database/pooled-read-database.js';
import { TIME_LIMITS } from '../../../src/kernel/time-limits.js';
import { InProcessStorage } from '../../../src/rate-limit/in-process-storage.js';
import { RedisStorage } from '../../../src/rate-limit/redis-storage.js';
import { SettingsRollout } from '../../../src/rollout/settings-rollout.js';
import {
  grantStoreContract,
  rateLimitStorageContract,
  rolloutContract,
  sessionStoreContract,
  type HungProvider,
  type TestFlag as Flag,
} from '../../../packages/testing/src/index.js';
import { readsOn } from '../../setup/reads-on.js';
import { eventually } from '../../setup/eventually.js';
import { describeWithRedis, RedisServer } from '../../setup/redis-server.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { WebServer } from '../../setup/web-server.js';
import { runContract, runContractTogether } from './run-contract.js';

describe('the rollout of the settings', () => {
  const written = (flag: Flag): string => (typeof flag === 'string' ? flag : flag.buyerId);
  runContract(
    rolloutContract({
      hung: null,
      withFlags: ({ list, get }) =>
        new SettingsRollout(
          loadSettings({ ROLLOUT_LIST: written(list), ROLLOUT_GET: written(get) }),
        ),
    }),
  );
});

/** A provider whose every statement waits for a locked table. */
async function onLockedTable<Part>(
  database: TestDatabase,
  table: string,
  provider: Part,
): Promise<HungProvider<Part>> {
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE deal_sets.${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    provider: provider,
    openCalls: async () => {
      const waiting = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
      );
      return waiting.length;
    },
    stop: () => holder.end(),
  };
}

describe('sign-in stores in PostgreSQL', () => {
  let database: TestDatabase;
  let reads: PooledReadDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    reads = await readsOn(database.url);
  });

  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  async function buyer(changesGranted = false): Promise<{ buyerId: string }> {
    const buyerId = randomUUID();
    const values = [buyerId, changesGranted];
    await database.query(
      'INSERT INTO deal_sets.buyer (id, changes_granted) VALUES ($1, $2)',
      values,
    );
    return { buyerId };
  }

  describe('sessions', () => {
    const sha256Of = (value: string): Buffer => hash('sha256', value, 'buffer');

    runContract(
      sessionStoreContract({
        store: () => new PostgresSessionStore(reads),
        hung: () => onLockedTable(database, 'buyer_session', new PostgresSessionStore(reads)),
        async put({ expiresAt, revokedAt }) {
          const owner = await buyer();
          const cookieValue = randomBytes(32).toString('base64url');
          await database.query(
            `INSERT INTO deal_sets.buyer_session (buyer_id, id, token_sha256, expires_at, revoked_at)
           VALUES ($1, gen_random_uuid(), $2, $3, $4)`,
            [owner.buyerId, sha256Of(cookieValue), expiresAt, revokedAt],
          );
          return { ...owner, cookieValue };
        },
        async revoke(cookieValue) {
          await database.query(
            'UPDATE deal_sets.buyer_session SET revoked_at = now() WHERE token_sha256 = $1',
            [sha256Of(cookieValue)],
          );
        },
      }),
    );

    it('are found through the index', async () => {
      await database.query(`SET enable_seqscan = off`);
      const plan = await database.query(
        `EXPLAIN SELECT FROM deal_sets.buyer_session WHERE token_sha256 = '\\x${hash('sha256', 'x')}' LIMIT 2`,
      );
      expect(JSON.stringify(plan)).toContain('buyer_session_token');
    });
  });

  describe('grants', () => {
    runContract(
      grantStoreContract({
        store: () => new PostgresGrantStore(reads),
        hung: () => onLockedTable(database, 'assistant_grant', new PostgresGrantStore(reads)),
        async put(clientId, { scopes, isHosted, changesGranted, grantedAt, expiresAt }) {
          const owner = await buyer(changesGranted);
          await database.query(
            `INSERT INTO deal_sets.assistant_grant (buyer_id, id, client_id, scopes, is_hosted, granted_at, expires_at)
           VALUES ($1, gen_random_uuid(), $2, $3, $4, $5, $6)`,
            [owner.buyerId, clientId, scopes, isHosted, grantedAt, expiresAt],
          );
          return owner;
        },
        async revoke(buyerId, clientId) {
          await database.query(
            'UPDATE deal_sets.assistant_grant SET revoked_at = now() WHERE buyer_id = $1 AND client_id = $2',
            [buyerId, clientId],
          );
        },
      }),
    );
  });
});

describe('counters of one process', () => {
  const storage = new InProcessStorage();
  afterAll(() => storage.onApplicationShutdown());
  runContractTogether(rateLimitStorageContract({ storage: () => storage, hung: null }));
});

describeWithRedis('counters in Redis', () => {
  const ADMITTED = { totalHits: 1, isBlocked: false };
  let server: RedisServer;
  let clients: [Redis, Redis5];
  let views: { first: RedisStorage; second: RedisStorage };

  beforeAll(async () => {
    server = await RedisServer.start();
    // Both have the address of a client, on which they never depend.
    clients = [
      new Redis(server.url, { lazyConnect: true }),
      new Redis5(server.url, { lazyConnect: true }),
    ];
    views = { first: new RedisStorage(clients[0]), second: new RedisStorage(clients[1]) };
    await Promise.all([views.first.onModuleInit(), views.second.onModuleInit()]);
  });

  afterAll(async () => {
    views.first.onApplicationShutdown();
    views.second.onApplicationShutdown();
    for (const client of clients) {
      expect(client.status).toBe('wait');
      client.disconnect();
    }
    await server.stop();
  });

  runContractTogether(rateLimitStorageContract({ storage: (view) => views[view], hung: null }));

  const asText = { lazyConnect: true, stringNumbers: true };
  const asObjects = { lazyConnect: true, replyMapping: 'resp3' } as const;
  it.each([
    ['6 that returns numbers as text', () => new Redis(server.url, asText)],
    ['5 that returns numbers as text', () => new Redis5(server.url, asText)],
    ['6 that returns maps as objects', () => new Redis(server.url, asObjects)],
  ])('work with a client of ioredis %s', async (_client, open) => {
    const client = open();
    const storage = new RedisStorage(client);
    await storage.onModuleInit();
    const key = `session ${randomUUID()}`;
    const admitted = await storage.increment(key, 60_000, 1);
    expect(admitted).toMatchObject({ totalHits: 1, isBlocked: false });
    const rejected = await storage.increment(key, 60_000, 1);
    expect(rejected).toMatchObject({ isBlocked: true, timeToBlockExpire: 60 });
    storage.onApplicationShutdown();
    client.disconnect();
  });

  it.each([
    ['5', (url: string) => new Redis5(url, { lazyConnect: true })],
    ['6', (url: string) => new Redis(url, { lazyConnect: true })],
  ])('continue after bytes of a web server, with ioredis %s', async (_version, open) => {
    const proxy = await TcpProxy.start(server.port);
    const webServer = await WebServer.start();
    const client = open(`redis://127.0.0.1:${proxy.port}`);
    // The timer of a connection that was cut runs until its limit; each hit is repeated.
    const storage = new RedisStorage(client, { ...TIME_LIMITS, redisSocketMs: 1_000 });
    await storage.onModuleInit();
    const hit = () => storage.increment(`session ${randomUUID()}`, 60_000, 1);
    const isShared = () => eventually(async () => expect(await hit()).toMatchObject(ADMITTED));
    await isShared();

    proxy.respond('HTTP/1.0 503 Service Unavailable\r\nConnection: close\r\n\r\n');
    await isShared();

    proxy.target = webServer.port;
    proxy.cut();
    await eventually(() => expect(hit()).rejects.toMatchObject({ word: 'not_redis' }));
    proxy.target = server.port;
    await isShared();

    storage.onApplicationShutdown();
    client.disconnect();
    await webServer.stop();
    await proxy.stop();
  });

  it('waits until enough hits have expired for the limit of the call', async () => {
    const hit = async (limit: number): Promise<number> =>
      (await views.first.increment('session 1', 60_000, limit)).timeToBlockExpire;
    await hit(2);
    await pause(1100);
    await hit(2);
    const untilBothExpire = await hit(1);
    expect(await hit(2)).toBeLessThan(untilBothExpire);
  });
});
