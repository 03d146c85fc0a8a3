import { load } from '../../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type Credential, type HostOptions } from '../../setup/test-service.js';

/** What the tests of a file read: records, and the buyer whose assistant asks. */
export interface HostWorld {
  readonly anna: { readonly id: string };
  readonly records: Parameters<typeof load>[1];
}

/** The database of a file's tests, and the service of a host application on it. */
export interface HostSuite {
  /** Made before the first test. */
  readonly database: TestDatabase;
  /**
   * Starts the service with a host application's options for `work`, with an assistant of the
   * world's buyer; then stops it.
   */
  readonly withHost: (
    hostOptions: HostOptions,
    work: (service: TestService, assistant: Credential) => Promise<void>,
    env?: Readonly<Record<string, string>>,
  ) => Promise<void>;
}

/** Loads the world into a database of its own before a file's tests, and drops that after them. */
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
    async withHost(hostOptions, work, env = {}) {
      const service = await TestService.start({ database, hostOptions, env });
      try {
        await work(service, await service.tokenFor(anna.id));
      } finally {
        await service.stop();
      }
    },
  };
}
