import { TestIssuer, type TestTokenOptions } from '../../packages/testing/src/test-issuer.js';
import { insert, smallWorld } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { TestService, type TestServiceOptions } from './test-service.js';

/** What a world contains: the buyer who makes the calls, and all records. */
export type WorldContent = Pick<ReturnType<typeof smallWorld>, 'anna' | 'session' | 'getPath'> & {
  readonly records: Parameters<typeof insert>[1];
};

/** The buyer who makes the calls. */
export interface WorldBuyer {
  readonly id: string;
  /** The credential of a live session. */
  readonly session: { readonly cookie: string };
  /** The credential of an approved assistant. */
  readonly assistant: { readonly token: string };
  /** The path of a deal set of the buyer. */
  readonly getPath: string;
}

/** A database with its records, and an issuer whose tokens the services of the world accept. */
export class World {
  private constructor(
    readonly database: TestDatabase,
    readonly issuer: TestIssuer,
    readonly buyer: WorldBuyer,
  ) {}

  /**
   * Creates a world. The caller stops it.
   *
   * @param content default: the small world.
   * @param store stores the records. Default: as any writer does.
   */
  static async create(
    { anna, session, getPath, records }: WorldContent = smallWorld(),
    store: (database: TestDatabase, records: WorldContent['records']) => Promise<unknown> = insert,
  ): Promise<World> {
    const [database, issuer] = await Promise.all([createTestDatabase(), TestIssuer.start()]);
    await store(database, records);
    const assistant = { token: await issuer.token(anna.id) };
    return new World(database, issuer, { id: anna.id, session, assistant, getPath });
  }

  /** Settings of a service in this world that runs as a process. */
  get env(): Readonly<Record<string, string>> {
    return { DATABASE_URL: this.database.url, ...this.issuer.settings };
  }

  /** Issues an access token of the buyer's approved assistant, with the given choices. */
  token(choices?: TestTokenOptions): Promise<string> {
    return this.issuer.token(this.buyer.id, choices);
  }

  /** Starts a service in this world. The caller stops it before the world. */
  start(options: Omit<TestServiceOptions, 'database' | 'issuer'> = {}): Promise<TestService> {
    const { database, issuer } = this;
    return TestService.start({ ...options, database, issuer });
  }

  async stop(): Promise<void> {
    await this.issuer.stop();
    await this.database.drop();
  }
}
