import type { Settings } from '../../../src/index.js';
import { TestIssuer } from '../../../packages/testing/src/test-issuer.js';
import { insert, smallWorld } from '../../builders/index.js';
import { bearer, type CallOptions } from '../../setup/http-call.js';
import { signInSettings } from '../../setup/module-host.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { signInHeaders } from '../../setup/test-service.js';

/** The sign-in of host applications with single modules: a file's database, issuer and callers. */
export interface ModuleHostSuite {
  /** Contains the small world. Created before the first test. */
  readonly database: TestDatabase;
  readonly buyerId: string;
  /** The options of a request with the buyer's session. */
  readonly session: CallOptions;
  /** Issues a token of the buyer's assistant, and returns the options of a request with it. */
  readonly assistant: () => Promise<CallOptions>;
  /** Returns the settings of a host application with this database and this issuer. */
  readonly settings: () => Settings;
}

/** Creates the database and the issuer before the tests of a file, and removes both after them. */
export function moduleHostSuite(): ModuleHostSuite {
  const { anna, session, records } = smallWorld();
  let database: TestDatabase;
  let issuer: TestIssuer;
  beforeAll(async () => {
    database = await createTestDatabase();
    issuer = await TestIssuer.start();
    await insert(database, records);
  });
  afterAll(async () => {
    await issuer.stop();
    await database.drop();
  });
  return {
    get database() {
      return database;
    },
    buyerId: anna.id,
    session: { headers: signInHeaders(session) },
    assistant: async () => bearer(await issuer.token(anna.id)),
    settings: () => signInSettings(database, issuer),
  };
}
