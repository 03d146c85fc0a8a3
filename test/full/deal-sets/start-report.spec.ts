import { RateLimitStorage, RedisStorage, Rollout } from '../../../src/index.js';
import { eventually } from '../../setup/eventually.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type TestServiceOptions } from '../../setup/test-service.js';

type Line = Readonly<Record<string, unknown>>;

const BUYERS = '0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4d,0b7d3c52-6d0e-4a55-9d5f-7a0e3f1c2b4e';
const NOWHERE = 'postgres://127.0.0.1:1/none';

/** A storage of the application that is not in Redis. */
class OwnStorage extends RateLimitStorage {
  increment(): ReturnType<RateLimitStorage['increment']> {
    return Promise.resolve({
      totalHits: 1,
      timeToExpire: 60,
      isBlocked: false,
      timeToBlockExpire: 0,
    });
  }
}

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Starts and stops a service, and returns the line of each message that it logged. */
async function startLines(
  options: Omit<TestServiceOptions, 'database'>,
  messages: readonly RegExp[],
): Promise<readonly Line[]> {
  const service = await TestService.start({ database, ...options });
  const found = (): Line[] =>
    messages.map((message) => {
      const lines = service.logLines.map((line) => JSON.parse(line) as Line);
      const matching = lines.filter(({ msg }) => message.test(String(msg)));
      expect(matching).toHaveLength(1);
      return matching[0]!;
    });
  try {
    await eventually(() => {
      found();
    });
    expect(service.logLines.join('')).not.toContain(BUYERS.slice(0, 36));
    return found();
  } finally {
    await service.stop();
  }
}

describe('the start of the service', () => {
  it('logs what the service runs with, in one line each', async () => {
    const env = { ROLLOUT_GET: BUYERS, ROLLOUT_NOTES: 'on', DATABASE_REPLICA_URL: database.url };
    const [version, redis, endpoints, postgres, issuer] = await startLines({ env }, [
      /^deal sets$/,
      /^no redis: this process counts alone$/,
      /^endpoints$/,
      /^database$/,
      /^access token issuer$/,
    ]);
    expect(version).toMatchObject({
      level: 'info',
      version: expect.stringMatching(/^\d+\./) as string,
    });
    expect(redis).toMatchObject({ level: 'info' });
    expect(endpoints).toMatchObject({
      level: 'info',
      rollout: 'list on, get 2 buyers, mcp off, notes on (no such endpoint)',
    });
    expect(postgres).toMatchObject({
      level: 'info',
      serverVersion: expect.stringMatching(/^\d\d/) as string,
      role: 'deal_sets_reader',
      migrations: 'applied',
      replica: 'in use',
    });
    expect(issuer).toMatchObject({ level: 'info', issuer: expect.any(String) as string, keys: 1 });
  });

  it('logs that the database, the replica or the keys are missing, and still starts', async () => {
    const down = { DATABASE_URL: NOWHERE, AUTH_JWKS_URL: 'http://127.0.0.1:1/jwks' };
    expect(
      await startLines({ env: down }, [
        /^database unreachable/,
        /^access token issuer has no keys/,
      ]),
    ).toEqual([
      expect.objectContaining({ level: 'error', reason: 'database_unreachable' }),
      expect.objectContaining({ level: 'warn' }),
    ]);
    const env = { DATABASE_REPLICA_URL: NOWHERE, REDIS_URL: 'redis://127.0.0.1:1' };
    expect(await startLines({ env }, [/^database$/, /^redis configured$/])).toEqual([
      expect.objectContaining({ replica: 'unreachable, the primary serves its reads' }),
      expect.objectContaining({ level: 'info' }),
    ]);
  });

  it.each([
    ['has no tables', true],
    ['lacks one migration', false],
  ])('names the command that is missing when the database %s', async (_what, isEmpty) => {
    const old = await createTestDatabase({ isEmpty });
    try {
      if (!isEmpty)
        await old.query(
          'DELETE FROM deal_sets.schema_migration WHERE id = (SELECT max(id) FROM deal_sets.schema_migration)',
        );
      const [line] = await startLines({ env: { DATABASE_URL: old.url } }, [/^database schema/]);
      expect(line).toMatchObject({
        level: 'error',
        reason: 'migrations_pending',
        msg: expect.stringContaining('run `deal-sets migrate`') as string,
      });
      expect(JSON.stringify(line)).not.toContain(old.name);
    } finally {
      await old.drop();
    }
  });

  it.each<[what: string, storage: () => RateLimitStorage, redis: RegExp, address: RegExp | null]>([
    [
      'a storage in Redis',
      () => new RedisStorage('redis://127.0.0.1:1'),
      /^redis configured$/,
      /^Redis does not respond, using in-memory counters: check REDIS_URL, or the address of your own client$/,
    ],
    [
      'another storage',
      () => new OwnStorage(),
      /^request counts: kept by the provider of RateLimitStorage$/,
      null,
    ],
  ])(
    'logs where requests are counted with %s of the application',
    async (_what, storage, ...expected) => {
      const providers = [{ provide: RateLimitStorage, useFactory: storage }];
      const messages = expected.filter((message) => message !== null);
      expect(await startLines({ hostOptions: { providers } }, messages)).toHaveLength(
        messages.length,
      );
    },
  );

  it('logs that a provider of the application decides about the endpoints', async () => {
    const providers = [{ provide: Rollout, useValue: { isOn: () => true } }];
    const [endpoints] = await startLines({ hostOptions: { providers } }, [/^endpoints$/]);
    expect(endpoints).toMatchObject({ rollout: 'list, get: decided by the provider of Rollout' });
  });
});
