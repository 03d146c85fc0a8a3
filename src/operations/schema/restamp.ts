import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { formatIsoTime } from '../../kernel/iso-time.js';
import { retryConflicts } from './retry-conflicts.js';

/** The progress or the result of a restamp. */
export interface RestampSummary {
  /** Buyers whose requests all have a stamp after `afterMs`. */
  readonly buyers: number;
  /** Requests that got a new stamp. */
  readonly stamped: number;
  /** Milliseconds since 1970. Pass the same time to continue an interrupted restamp. */
  readonly afterMs: number;
}

/** Receives the progress of a restamp. */
export interface RestampProgress {
  /**
   * Called once, before the first stamp.
   *
   * @param afterMs milliseconds since 1970.
   * @param buyers the number of buyers.
   */
  begin(afterMs: number, buyers: number): void;
  /** Called every few seconds while the database's clock has not passed `afterMs`. */
  waiting(remainingMs: number): void;
  /** Called when one more buyer, or some requests of a buyer, are done. */
  advance(done: RestampSummary): void;
}

/** Options of `restamp`. */
export interface RestampOptions {
  /** The only buyer to restamp. Default: every buyer. */
  readonly buyerId?: string;
  /**
   * Milliseconds since 1970: the latest time that may have been returned as `Service-As-Of`.
   * Default: the database's clock, or the newest stamp in the feed if that is later.
   */
  readonly afterMs?: number;
  readonly progress?: RestampProgress;
  /** Aborts the restamp and closes its connection. Stamps that were already written remain. */
  readonly signal?: AbortSignal;
}

const PAGE = 100;
/**
 * The longest time between two reads of the clock, in milliseconds. It is short, because the clock
 * may be corrected in the meantime.
 */
const LONGEST_SLEEP_MS = 5_000;

/**
 * Waits until no writer of the buyer is between its stamp and its commit, and returns the clock of
 * the server that stamps the buyer's requests. It returns no row for an unknown buyer.
 *
 * The statement runs in its own transaction, which holds no other locks, because a writer that
 * waits for this lock may hold rows that the restamp needs.
 *
 * Parameters: $1 buyer.
 */
const AWAIT_WRITERS = `SELECT
  pg_advisory_xact_lock_shared(deal_sets.feed_bucket_key(b.id))::text,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms
FROM deal_sets.buyer b WHERE b.id = $1`;

/**
 * Gives every request a new stamp, while the service runs: after a restore, or after a failover to
 * a server whose clock is behind. Each client then receives everything once more, whatever its
 * `since` is. `docs/operations.md` describes when to use it.
 *
 * Every stamp at or before `afterMs` is replaced by one after it, in the order of the stamps. A
 * request that has a later stamp counts as done, so an interrupted restamp continues when it is run
 * again with the same `afterMs`. Replies keep their stamps, and an unknown time of change stays
 * unknown.
 *
 * @param client a connection of the tables' owner, outside of a transaction; nothing else may use
 *   it during the restamp.
 * @throws the signal's reason when the signal is aborted.
 */
export async function restamp(
  client: Client,
  options: RestampOptions = {},
): Promise<RestampSummary> {
  const { signal } = options;
  signal?.throwIfAborted();
  // Closing the connection also interrupts a statement that waits for a lock.
  const end = (): void => void client.end().catch(() => undefined);
  signal?.addEventListener('abort', end);
  try {
    return await restampBuyers(client, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

async function restampBuyers(
  client: Client,
  { buyerId, afterMs: requestedAfterMs, progress, signal }: RestampOptions,
): Promise<RestampSummary> {
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query(text, values)).rows as Row[];
  const [counted] = await query<{ buyers: number }>(
    'SELECT count(*)::float8 AS buyers FROM deal_sets.buyer WHERE $1::uuid IS NULL OR id = $1',
    [buyerId],
  );
  const afterMs = requestedAfterMs ?? (await latestTime(query));
  const done = { buyers: 0, stamped: 0, afterMs };
  progress?.begin(afterMs, counted?.buyers ?? 0);

  /** @returns false if the buyer does not exist, or no longer exists. */
  const awaitWriters = async (id: string): Promise<boolean> => {
    for (;;) {
      const [clock] = await retryConflicts(() => query<{ ms: number }>(AWAIT_WRITERS, [id]));
      if (!clock) return false;
      // From now on, every writer stamps after `afterMs`, and every earlier stamp is visible.
      if (clock.ms > afterMs) return true;
      const remainingMs = afterMs - clock.ms + 1;
      progress?.waiting(remainingMs);
      await sleep(Math.min(remainingMs, LONGEST_SLEEP_MS), undefined, { signal });
    }
  };
  const restampSome = async (id: string): Promise<number> => {
    const [row] = await retryConflicts(() =>
      query<{ marked: number }>('SELECT marked FROM deal_sets.restamp_batch($1, $2)', [
        id,
        formatIsoTime(afterMs),
      ]),
    );
    return row?.marked ?? 0;
  };

  for await (const id of buyerIds(query, buyerId)) {
    if (!(await awaitWriters(id))) continue;
    for (let marked; (marked = await restampSome(id)) > 0;) {
      done.stamped += marked;
      progress?.advance({ ...done });
    }
    done.buyers += 1;
    progress?.advance({ ...done });
  }
  return done;
}

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

/**
 * Returns the database's clock, or the newest stamp if that is later, in milliseconds since 1970.
 * It uses two statements, because on Citus the first must run on the connected server itself.
 */
async function latestTime(query: Query): Promise<number> {
  const [clock] = await query<{ ms: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms',
  );
  const [newest] = await query<{ ms: number | null }>(
    `SELECT floor(extract(epoch FROM max(f.feed_at)) * 1000)::float8 AS ms
     FROM deal_sets.request_feed f`,
  );
  return Math.max(clock?.ms ?? 0, newest?.ms ?? 0);
}

async function* buyerIds(query: Query, buyerId?: string): AsyncGenerator<string> {
  if (buyerId !== undefined) {
    yield buyerId;
    return;
  }
  let page: { readonly id: string }[];
  let after: string | undefined;
  do {
    page = await query(
      `SELECT id FROM deal_sets.buyer WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT ${PAGE}`,
      [after],
    );
    for (const { id } of page) yield id;
    after = page.at(-1)?.id;
  } while (page.length === PAGE);
}
