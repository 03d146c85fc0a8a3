import { load } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import {
  TestService,
  type Credential,
  type HostOptions,
  type TestServiceOptions,
} from '../../setup/test-service.js';

/**
 * The data that the tests of a file read: the records, and the buyer whose assistant makes the
 * calls.
 */
export interface HostWorld {
  readonly anna: { readonly id: string };
  readonly records: Parameters<typeof load>[1];
}

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

/**
 * Loads the world into its own database before the tests of a file, and drops the database after
 * them.
 */
export function hostSuite({ anna, records }: HostWorld): HostSuite {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, records);
  });
  afterAll(() => database.drop());
  return {
    get database() {
      return database;
    },
    async withHost(hostOptions, work, options = {}) {
      const service = await TestService.start({ database, hostOptions, ...options });
      try {
        await work(service, await service.tokenFor(anna.id));
      } finally {
        await service.stop();
      }
    },
  };
}
