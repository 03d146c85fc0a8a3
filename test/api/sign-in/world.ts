import { insert, smallWorld } from '../../builders/index.js';
import { createTestDatabase } from '../../setup/test-database.js';
import { TestIssuer, type TestTokenOptions } from '../../../packages/testing/src/test-issuer.js';
import type { TimeLimits } from '../../../src/kernel/time-limits.js';
import { TestService, type HostOptions } from '../../setup/test-service.js';

/** Client id of the approved assistant. */
export const CLIENT = 'assistant-1';

/** The small world in its own database, and an issuer whose tokens its services accept. */
export async function createWorld() {
  const [database, issuer] = await Promise.all([createTestDatabase(), TestIssuer.start()]);
  const { anna, session, getPath, records } = smallWorld();
  await insert(database, records);
  return {
    database,
    issuer,
    buyerId: anna.id,
    /** Value of a live session's cookie. */
    cookie: session.cookie,
    /** Path of the buyer's deal set. */
    getPath,
    /** Settings of a service in this world that runs as a process. */
    env: { DATABASE_URL: database.url, ...issuer.settings },
    /** Issues an access token of the buyer's approved assistant, with the given choices. */
    token: (choices?: TestTokenOptions): Promise<string> => issuer.token(anna.id, choices),
    /**
     * Starts a service in this world, with the default rate limit unless `env` has another. The
     * caller stops it.
     */
    start(
      env: NodeJS.ProcessEnv = {},
      hostOptions: HostOptions = {},
      limits: Partial<TimeLimits> = {},
    ): Promise<TestService> {
      const settings = { READ_RATE_LIMIT: undefined, ...env };
      return TestService.start({
        database,
        issuer,
        env: settings,
        hostOptions,
        limits,
      });
    },
    async close(): Promise<void> {
      await issuer.stop();
      await database.drop();
    },
  };
}
export type SignInWorld = Awaited<ReturnType<typeof createWorld>>;

/**
 * The world of a file's tests and a service in it, started before the tests of a `describe` and
 * closed after them.
 */
export function signInSuite(env?: NodeJS.ProcessEnv) {
  let world: SignInWorld;
  let app: TestService;
  beforeAll(async () => {
    world = await createWorld();
    app = await world.start(env);
  });
  afterAll(async () => {
    await app.stop();
    await world.close();
  });
  return {
    get world() {
      return world;
    },
    get app() {
      return app;
    },
  };
}
