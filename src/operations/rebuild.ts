import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from 'pg';
import { retryConflicts } from '../database/retry-conflicts.js';
import { formatIsoTime } from '../kernel/iso-time.js';

/** The progress or the result of a rebuild. */
export interface RebuildSummary {
  /** Buyers whose requests have all been rebuilt. */
  readonly buyers: number;
  /** Requests that were compared with the current rules. */
  readonly compared: number;
  /** Requests that got a new stamp. */
  readonly stamped: number;
}

/** Receives the progress of a rebuild. */
export interface RebuildProgress {
  /**
   * Called once, before the first request.
   *
   * @param buyers the number of buyers.
   * @param afterMs with `restamp`, the time after which every stamp will be, in milliseconds since
   *   1970. Pass it as `afterMs` to continue an interrupted rebuild.
   */
  begin(buyers: number, afterMs: number | undefined): void;
  /** Called every few seconds while the database's clock has not passed `afterMs`. */
  waiting(remainingMs: number): void;
  /** Called when one more buyer, or some requests of a buyer, are done. */
  advance(done: RebuildSummary): void;
}

/** Options of `rebuild`. */
export interface RebuildOptions {
  /** The only buyer to rebuild. Default: every buyer. */
  readonly buyerId?: string;
  /** Stamps every request anew, not only those that look different to clients. */
  readonly restamp?: {
    /**
     * Milliseconds since 1970: the latest time that may have been returned as `Service-As-Of`.
     * Requests with a later stamp are done already. Default: the database's clock, or the newest
     * stamp in the feed if that is later.
     */
    readonly afterMs?: number;
  };
  readonly progress?: RebuildProgress;
  /** Aborts the rebuild and closes its connection. What was already committed remains. */
  readonly signal?: AbortSignal;
}

const PAGE = 100;
/**
 * The highest number of requests in one transaction. It is small, because the transaction holds
 * their rows, and other writers of the buyer wait for it.
 */
const BATCH = 25;
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
 * waits for this lock may hold rows that the rebuild needs.
 *
 * Parameters: $1 buyer.
 */
const AWAIT_WRITERS = `SELECT
  pg_advisory_xact_lock_shared(deal_sets.feed_bucket_key(b.id))::text,
  floor(extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms
FROM deal_sets.buyer b WHERE b.id = $1`;

/**
 * Selects the ids of a buyer's requests, oldest stamp first. Requests that are missing in the feed
 * come last.
 *
 * Parameters: $1 buyer.
 */
const REQUEST_IDS = `SELECT id FROM (
    SELECT f.request_id AS id, f.feed_at FROM deal_sets.request_feed f WHERE f.buyer_id = $1
    UNION ALL SELECT s.id, NULL FROM deal_sets.deal_set s WHERE s.buyer_id = $1
    UNION ALL SELECT p.id, NULL FROM deal_sets.price_check p WHERE p.buyer_id = $1 AND p.deal_set_id IS NULL
  ) request GROUP BY id ORDER BY min(feed_at), id`;

/**
 * Recomputes everything that the triggers maintain by the current rules, buyer by buyer, while the
 * service runs. A request that looks different to clients gets a new stamp. A complete rebuild
 * clears the flag that the rules have changed. A rebuild can be repeated at any time.
 *
 * With `restamp`, every request gets a new stamp, in the order of the stamps: after a restore, or
 * after a failover to a server whose clock is behind. Each client then receives everything once
 * more, whatever its `since` is. Replies keep their stamps, and an unknown time of change stays
 * unknown. `docs/operations/recover.md` describes when to use it.
 *
 * @param client a connection of the tables' owner, outside of a transaction; nothing else may use
 *   it during the rebuild.
 * @throws the signal's reason when the signal is aborted.
 */
export async function rebuild(
  client: Client,
  options: RebuildOptions = {},
): Promise<RebuildSummary> {
  const { signal } = options;
  signal?.throwIfAborted();
  // Closing the connection also interrupts a statement that waits for a lock.
  const end = (): void => void client.end().catch(() => undefined);
  signal?.addEventListener('abort', end);
  try {
    return await rebuildBuyers(client, options);
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', end);
  }
}

type Query = <Row>(text: string, values?: unknown[]) => Promise<Row[]>;

async function rebuildBuyers(
  client: Client,
  { buyerId, restamp, progress, signal }: RebuildOptions,
): Promise<RebuildSummary> {
  const query: Query = async <Row>(text: string, values: unknown[] = []) =>
    (await client.query(text, values)).rows as Row[];
  const [start] = await query<{ buyers: number; rulesHash: string }>(
    `SELECT (SELECT count(*) FROM deal_sets.buyer WHERE $1::uuid IS NULL OR id = $1)::float8 AS buyers,
       c.rules_hash AS "rulesHash" FROM deal_sets.schema_code c`,
    [buyerId],
  );
  if (!start) throw new Error('schema_code has no row');
  const afterMs = restamp && (restamp.afterMs ?? (await latestTime(query)));
  const done = { buyers: 0, compared: 0, stamped: 0 };
  progress?.begin(start.buyers, afterMs);

  for await (const id of buyerIds(query, buyerId)) {
    if (afterMs !== undefined) await awaitWriters(query, id, afterMs, { progress, signal });
    const requests = await query<{ id: string }>(REQUEST_IDS, [id]);
    for (let from = 0; from < requests.length; from += BATCH) {
      const batch = requests.slice(from, from + BATCH).map((request) => request.id);
      const [result] = await retryConflicts(() =>
        query<Omit<RebuildSummary, 'buyers'>>(
          'SELECT * FROM deal_sets.rebuild_requests($1, $2, $3)',
          [id, batch, afterMs === undefined ? null : formatIsoTime(afterMs)],
        ),
      );
      done.compared += result?.compared ?? 0;
      done.stamped += result?.stamped ?? 0;
      progress?.advance({ ...done });
    }
    done.buyers += 1;
    progress?.advance({ ...done });
  }
  if (buyerId === undefined) {
    // The rules may have changed again in the meantime.
    await query(
      'UPDATE deal_sets.schema_code SET needs_rebuild = false WHERE needs_rebuild AND rules_hash = $1',
      [start.rulesHash],
    );
  }
  return done;
}

/** Waits until every later stamp of the buyer is after the given time. */
async function awaitWriters(
  query: Query,
  buyerId: string,
  afterMs: number,
  { progress, signal }: Pick<RebuildOptions, 'progress' | 'signal'>,
): Promise<void> {
  for (;;) {
    const [clock] = await retryConflicts(() => query<{ ms: number }>(AWAIT_WRITERS, [buyerId]));
    // From now on, every writer stamps after `afterMs`, and every earlier stamp is visible.
    if (!clock || clock.ms > afterMs) return;
    const remainingMs = afterMs - clock.ms + 1;
    progress?.waiting(remainingMs);
    await sleep(Math.min(remainingMs, LONGEST_SLEEP_MS), undefined, { signal });
  }
}

/** Returns the database's clock, or the newest stamp if that is later, in milliseconds since 1970. */
async function latestTime(query: Query): Promise<number> {
  const [latest] = await query<{ ms: number }>(
    `SELECT floor(extract(epoch FROM greatest(clock_timestamp(),
       (SELECT max(f.feed_at) FROM deal_sets.request_feed f))) * 1000)::float8 AS ms`,
  );
  if (!latest) throw new Error('the statement selects no time');
  return latest.ms;
}

/** Iterates over the ids of the buyers, or over the given one if that buyer exists. */
async function* buyerIds(query: Query, buyerId?: string): AsyncGenerator<string> {
  let page: { readonly id: string }[];
  let after: string | undefined;
  do {
    page = await query(
      `SELECT id FROM deal_sets.buyer WHERE ($1::uuid IS NULL OR id > $1) AND ($2::uuid IS NULL OR id = $2)
       ORDER BY id LIMIT ${PAGE}`,
      [after, buyerId],
    );
    for (const { id } of page) yield id;
    after = page.at(-1)?.id;
  } while (page.length === PAGE);
}
