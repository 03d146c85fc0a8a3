import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  insert,
  insertHistory,
  priceCheck,
  signIn,
} from '../builders/index.js';
import { TestService, type TestServiceOptions } from './test-service.js';
import type { Reader } from './world.js';

export const EPOCH = '1970-01-01T00:00:00Z';
export const PATH = '/api/v1/deal-sets';

/** The fields of a list entry that the tests read, for both kinds. */
export interface Entry {
  readonly kind: 'deal_set' | 'single';
  readonly id?: string;
  readonly dealSetId?: string;
  readonly latestActivityAt: string | null;
  readonly lowestWrittenOtdCents: number | null;
  readonly dealerCount: number | null;
  readonly needsYou: number;
  readonly section: string;
  readonly dealerLabel: string | null;
  readonly changes?: {
    readonly hasWrittenPrice: boolean;
    readonly newReplies: {
      readonly status: string;
      readonly count?: number;
      readonly latestAt?: string;
    };
    readonly ended: boolean;
  };
}

export interface Poll {
  readonly since: string;
  readonly asOf: string;
  readonly hasMore: boolean;
  readonly entries: readonly Entry[];
}

export const idOf = (entry: Entry): string => entry.dealSetId ?? entry.id ?? '';

export const keyOf = (entry: Entry): string => `${entry.kind}:${idOf(entry)}`;

/** Claims of a token that outlasts the long runs; a test's token lasts five minutes. */
export function oneHourClaims(): { readonly exp: number } {
  return { exp: Math.floor(Date.now() / 1000) + 3600 };
}

/**
 * For suites about events within the margin: `Service-As-Of` is one millisecond behind the clock.
 */
export const NO_MARGIN = { env: { FEED_MARGIN_MS: '0' } };

/** Runs the deferred triggers of a transaction, which is then between its stamps and its commit. */
export const STAMP = 'SET CONSTRAINTS ALL IMMEDIATE';

/**
 * Waits until the clock has passed the stamps made so far, because a poll at or before a stamp would
 * lose nothing even if no open writer held its `Service-As-Of`.
 */
export async function pastStamp(): Promise<void> {
  await sleep(20);
}

/** The running service, with two dealerships and buyers who have no requests yet. */
export class FeedWorld {
  readonly dealership = dealership({ name: 'Quarry Road Autos' });
  /** Another dealership, for tests that rename. */
  readonly renamed = dealership({ name: 'Ferry Lane Cars' });
  readonly #clients: Client[] = [];
  #usedCount = 0;

  private constructor(
    readonly service: TestService,
    readonly buyers: readonly Reader[],
  ) {}

  static async start(
    options: TestServiceOptions & { buyers?: number; changesGranted?: boolean } = {},
  ): Promise<FeedWorld> {
    const { buyers: count = 60, changesGranted = false, ...rest } = options;
    const service = await TestService.start(rest);
    const records: object[] = [];
    const buyers: Reader[] = [];
    // No two buyers share a lock of the feed, so that a writer of one never delays another's poll.
    const ids = await service.database.query<{ id: string }>(
      `SELECT DISTINCT ON (deal_sets.feed_bucket_key(id)) id
       FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, 4 * $1::integer)) made LIMIT $1`,
      [count],
    );
    for (const { id } of ids) {
      const person = buyer({ id, changesGranted });
      const { record, cookie } = signIn(person.id);
      records.push(person, record, grant({ buyerId: person.id }));
      const assistant = await service.tokenFor(person.id, oneHourClaims());
      buyers.push({ id: person.id, session: { cookie }, assistant });
    }
    const world = new FeedWorld(service, buyers);
    await insert(service.database, [...records, world.dealership, world.renamed]);
    return world;
  }

  /** The same world, polled at another instance of the service. */
  onService(service: TestService): FeedWorld {
    return new FeedWorld(service, this.buyers);
  }

  /** The buyer whose feed is read unless a test names another. */
  get buyer(): Reader {
    return this.buyers[0]!;
  }

  /**
   * Returns a buyer that no test has used, because what another test has just changed may be
   * returned twice.
   */
  unusedBuyer(): Reader {
    const fresh = this.buyers[this.#usedCount++];
    if (!fresh) throw new Error('the world was made with too few buyers');
    return fresh;
  }

  get database(): TestService['database'] {
    return this.service.database;
  }

  /** Opens a writer's connection, which is closed with the world. */
  async writer(): Promise<Client> {
    const client = new Client({ connectionString: this.database.url });
    client.on('error', () => undefined);
    await client.connect();
    this.#clients.push(client);
    return client;
  }

  /** Ends the open transactions of the writers. */
  async rollback(): Promise<void> {
    for (const client of this.#clients) await client.query('ROLLBACK').catch(() => undefined);
  }

  /** Loads requests in the past, so that a test begins with a feed without changes. */
  async loadHistory(
    reader = this.buyer,
    singles = 2,
    sets = 1,
  ): Promise<{ singles: string[]; sets: string[] }> {
    const at = '2026-02-01T00:00:00Z';
    const made = {
      singles: Array.from({ length: singles }, () =>
        priceCheck({
          buyerId: reader.id,
          dealershipId: this.dealership.id,
          latestActivityAt: at,
        }),
      ),
      sets: Array.from({ length: sets }, () =>
        dealSet({ buyerId: reader.id, latestActivityAt: at }),
      ),
    };
    await insertHistory(this.database, [...made.singles, ...made.sets]);
    return { singles: made.singles.map(({ id }) => id), sets: made.sets.map(({ id }) => id) };
  }

  async poll(
    since: string,
    reader = this.buyer,
    as: 'session' | 'assistant' = 'session',
  ): Promise<Poll> {
    const response = await this.service.get<{ data: Entry[] }>(
      `${PATH}?since=${encodeURIComponent(since)}`,
      reader[as],
    );
    if (response.status !== 200) throw new Error(`${response.status} ${response.text}`);
    const asOf = response.headers['service-as-of'] as string;
    const more = response.headers['service-more'] as string;
    expect(asOf).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(['true', 'false']).toContain(more);
    return { since, asOf, hasMore: more === 'true', entries: response.body.data };
  }

  /** Follows the headers until no more remains. */
  async drain(
    since: string,
    reader = this.buyer,
    as: 'session' | 'assistant' = 'session',
  ): Promise<Poll[]> {
    const pages: Poll[] = [];
    for (let from = since; ;) {
      const page = await this.poll(from, reader, as);
      pages.push(page);
      if (!page.hasMore) return pages;
      expect(Date.parse(page.asOf)).toBeGreaterThan(Date.parse(from));
      from = page.asOf;
    }
  }

  /** Returns the `since` of the next poll of a client that has read everything. */
  async latestWatermark(
    reader = this.buyer,
    as: 'session' | 'assistant' = 'session',
  ): Promise<string> {
    return (await this.drain(EPOCH, reader, as)).at(-1)!.asOf;
  }

  /** Returns the sorted ids of the requests that a client receives from there on. */
  async changedIdsSince(since: string, reader = this.buyer): Promise<string[]> {
    return idsOf(await this.drain(since, reader));
  }

  /** Returns a buyer's replies as stored in the feed. */
  repliesOf(reader = this.buyer): Promise<object[]> {
    return this.database.query(
      `SELECT r.feed_at = f.feed_at AS "hasStampOfRequest", r.feed_at, f.is_marked
       FROM deal_sets.reply r JOIN deal_sets.request_feed f USING (buyer_id, request_id) WHERE r.buyer_id = $1`,
      [reader.id],
    );
  }

  databaseTime(): Promise<number> {
    return databaseTime(this.database.client);
  }

  async stop(): Promise<void> {
    await Promise.all(this.#clients.map((client) => client.end().catch(() => undefined)));
    await this.service.stop();
  }
}

/** The database's clock in milliseconds since 1970. */
export async function databaseTime(client: Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
  );
  return rows[0]!.ms;
}

/** Returns an id, and SQL that inserts a single request without calling the feed's functions. */
export function insertSingle(
  world: FeedWorld,
  reader = world.buyer,
  otdCents = 1,
): [string, string] {
  const id = randomUUID();
  return [
    id,
    `INSERT INTO deal_sets.price_check (buyer_id, id, dealership_id, requested_at, answer, otd_cents, written_at)
     VALUES ('${reader.id}', '${id}', '${world.dealership.id}', now(), 'same_car', ${otdCents}, now())`,
  ];
}

export const insertReply = (buyerId: string, priceCheckId: string): string =>
  `INSERT INTO deal_sets.reply (buyer_id, id, price_check_id)
   VALUES ('${buyerId}', gen_random_uuid(), '${priceCheckId}')`;

export const setPrice = (id: string, otdCents: number): string =>
  `UPDATE deal_sets.price_check SET answer = 'same_car', otd_cents = ${otdCents}, written_at = now() WHERE id = '${id}'`;

/** The last entry of each request in some pages. */
export function latestOf(pages: readonly Poll[]): Map<string, Entry> {
  return new Map(pages.flatMap((page) => page.entries).map((entry) => [keyOf(entry), entry]));
}

export const idsOf = (pages: readonly Poll[]): string[] =>
  [...latestOf(pages).values()].map(idOf).sort();
