import { load } from '../../builders/index.js';
import type { TestDatabase } from '../../setup/test-database.js';
import type {
  Credential,
  HostOptions,
  TestService,
  TestServiceOptions,
} from '../../setup/test-service.js';
import { World, type WorldContent } from '../../setup/world.js';

/** The database of a file's tests, and the service of a host application on it. */
export interface HostSuite {
  /** Created before the first test. */
  readonly database: TestDatabase;
  /**
   * Starts the service with a host application's options, runs `work` with an assistant of the
   * world's buyer, and stops the service.
   */
  readonly withHost: (
    hostOptions: HostOptions,
    work: (service: TestService, assistant: Credential) => Promise<void>,
    options?: Pick<TestServiceOptions, 'env' | 'limits'>,
  ) => Promise<void>;
}

/** Creates a world before the tests of a file, with the import, and stops it after them. */
export function hostSuite(content: WorldContent): HostSuite {
  let world: World;
  beforeAll(async () => {
    world = await World.create({ content, store: load });
  });
  afterAll(() => world.stop());
  return {
    get database() {
      return world.database;
    },
    async withHost(hostOptions, work, options = {}) {
      const service = await world.start({ hostOptions, ...options });
      try {
        await work(service, { token: await world.token() });
      } finally {
        await service.stop();
      }
    },
  };
}
