import type { Settings } from '../../../src/index.js';
import { smallWorld } from '../../builders/index.js';
import { bearer, type CallOptions } from '../../setup/http-call.js';
import { signInSettings } from '../../setup/module-host.js';
import type { TestDatabase } from '../../setup/test-database.js';
import { signInHeaders } from '../../setup/test-service.js';
import { World } from '../../setup/world.js';

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
  const content = smallWorld();
  let world: World;
  beforeAll(async () => {
    world = await World.create({ content });
  });
  afterAll(() => world.stop());
  return {
    get database() {
      return world.database;
    },
    buyerId: content.buyer.id,
    session: { headers: signInHeaders(content.session) },
    assistant: async () => bearer(await world.token()),
    settings: () => signInSettings(world.database, world.issuer),
  };
}
