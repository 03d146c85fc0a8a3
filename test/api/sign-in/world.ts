import { load, smallWorld } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestIssuer, type TestTokenOptions } from '../../../packages/testing/src/test-issuer.js';
import { TestService, type TeamOptions } from '../../setup/test-service.js';

/** The small world in a database of its own, and an issuer whose tokens its services accept. */
export interface SignInWorld {
  readonly database: TestDatabase;
  readonly issuer: TestIssuer;
  readonly buyerId: string;
  /** Value of a live session's cookie. */
  readonly cookie: string;
  /** Path of the buyer's deal set. */
  readonly getPath: string;
  /** Settings of a service in this world that runs as a process. */
  readonly env: Readonly<Record<string, string>>;
  /** An access token of the buyer's approved assistant, but for what is chosen otherwise. */
  token(choices?: TestTokenOptions): Promise<string>;
  /** A service in this world, with its default rate limit unless `env` has another. The caller stops it. */
  start(env?: NodeJS.ProcessEnv, team?: TeamOptions): Promise<TestService>;
  close(): Promise<void>;
}

/** Client id of the approved assistant. */
export const CLIENT = 'assistant-1';

export async function createWorld(): Promise<SignInWorld> {
  const [database, issuer] = await Promise.all([createTestDatabase(), TestIssuer.start()]);
  const { anna, session, getPath, records } = smallWorld();
  await load(database, records);
  return {
    database,
    issuer,
    buyerId: anna.id,
    cookie: session.cookie,
    getPath,
    env: { DATABASE_URL: database.url, ...issuer.settings },
    token: (choices) => issuer.token(anna.id, choices),
    start: (env, team) =>
      TestService.start({
        database,
        issuer,
        env: { READ_RATE_LIMIT: undefined, ...env },
        ...(team && { team }),
      }),
    async close() {
      await issuer.stop();
      await database.drop();
    },
  };
}

/** The world of a file's tests, and a service in it. */
export interface SignInSuite {
  readonly world: SignInWorld;
  readonly app: TestService;
}

/** Makes both before the tests of a `describe`, and closes them after. */
export function signInSuite(env?: NodeJS.ProcessEnv): SignInSuite {
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
