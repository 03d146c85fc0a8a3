import type { TestService } from '../../setup/test-service.js';
import { World } from '../../setup/world.js';

/** Client id of the approved assistant. */
export const CLIENT = 'assistant-1';

/**
 * The world of a file's tests and a service in it, started before the tests of a `describe` and
 * stopped after them. The service has the default rate limit unless `env` has another.
 */
export function signInSuite(env?: NodeJS.ProcessEnv) {
  let world: World;
  let app: TestService;
  beforeAll(async () => {
    world = await World.create();
    app = await world.start({ env: { READ_RATE_LIMIT: undefined, ...env } });
  });
  afterAll(async () => {
    await app.stop();
    await world.stop();
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
