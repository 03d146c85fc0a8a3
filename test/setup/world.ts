import { TestIssuer, type TestTokenOptions } from '../../packages/testing/src/test-issuer.js';
import { insert, smallWorld } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from './test-database.js';
import { TestService, type TestServiceOptions } from './test-service.js';

/** What a world contains: the buyer who makes the calls, and all records. */
export type WorldContent = Pick<ReturnType<typeof smallWorld>, 'buyer' | 'session' | 'getPath'> & {
  readonly records: Parameters<typeof insert>[1];
};

/** A buyer who makes calls. */
export interface Reader {
  readonly id: string;
  /** The credential of a live session. */
  readonly session: { readonly cookie: string };
  /** The credential of an approved assistant. */
  readonly assistant: { readonly token: string };
}

/** The buyer of a world. */
export interface WorldBuyer extends Reader {
  /** The path of a deal set of the buyer. */
  readonly getPath: string;
}

export interface WorldOptions {
  /** Default: the small world. */
  readonly content?: WorldContent;
  /** Stores the records. Default: as any writer does. */
  readonly store?: (database: TestDatabase, records: WorldContent['records']) => Promise<unknown>;
  /** A database that the caller created and drops. Default: a new one. */
  readonly database?: TestDatabase;
}

/** A database with its records, and an issuer whose tokens the services of the world accept. */
export class World {
  protected constructor(
    readonly database: TestDatabase,
    readonly issuer: TestIssuer,
    readonly buyer: WorldBuyer,
    /** Stops what the caller did not pass in. */
    private readonly release: () => Promise<void>,
  ) {}

  /** Creates a world. The caller stops it. */
  static async create({
    content = smallWorld(),
    store = insert,
    ...options
  }: WorldOptions = {}): Promise<World> {
    const [database, issuer] = await Promise.all([
      options.database ?? createTestDatabase(),
      TestIssuer.start(),
    ]);
    await store(database, content.records);
    return new World(database, issuer, await buyerOf(content, issuer), async () => {
      await issuer.stop();
      if (!options.database) await database.drop();
    });
  }

  /** Settings of a service in this world that runs as a process. */
  get env(): Readonly<Record<string, string>> {
    return { DATABASE_URL: this.database.url, ...this.issuer.settings };
  }

  /** Stores a small world beside the other records, and returns its buyer. */
  async addBuyer(): Promise<WorldBuyer> {
    const content = smallWorld();
    await insert(this.database, content.records);
    return buyerOf(content, this.issuer);
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

  stop(): Promise<void> {
    return this.release();
  }
}

async function buyerOf(
  { buyer, session, getPath }: WorldContent,
  issuer: TestIssuer,
): Promise<WorldBuyer> {
  return { id: buyer.id, session, assistant: { token: await issuer.token(buyer.id) }, getPath };
}
