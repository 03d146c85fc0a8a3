import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { ReadNode, Statement } from '../../database/cancellable-reader.js';
import { ReadDatabase } from '../../database/read-database.js';
import type { Deadline } from '../../kernel/deadline.js';
import type {
  AssistantPrincipal,
  ByPrincipalType,
  Principal,
  PrincipalType,
} from '../../kernel/principal.js';
import { untilAborted } from '../../kernel/time-limit.js';
import type { DealSetFacts, RequestFacts } from '../domain/facts.js';
import type { FeedSnapshot } from '../domain/watermark.js';
import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  activeStatement,
  changedSinceStatement,
  type EmptyPageRow,
  type PageRow,
} from './entry-statements.js';
import { FEED_NEWEST } from './feed-newest.js';
import { FEED_PROBE } from './feed-probe.js';
import { REPLIES, type ReplyCount } from './replies-statement.js';
import { dealSetFacts, type ResultRow } from './result-facts.js';
import { resultStatement } from './result-statement.js';

/** The active requests of a buyer. */
export interface ActiveRequests {
  /** Deal sets, then single requests, each newest first. */
  readonly requests: readonly RequestFacts[];
  /** Whether an active request was left out. */
  readonly hasMore: boolean;
}

/** The parameters of a page of the feed. */
export interface FeedPageRequest {
  /** Milliseconds since 1970: the page contains requests that changed strictly after it. */
  readonly sinceMs: number;
  /** The number of entries, not counting those that tie with the last one. */
  readonly pageSize: number;
}

/** A page of the feed. All of its rows come from one snapshot. */
export interface FeedPage {
  /** Oldest change first. */
  readonly requests: readonly RequestFacts[];
  readonly snapshot: FeedSnapshot;
  /**
   * The server that the page was read from. The replies of the page's requests are read there too.
   */
  readonly node: ReadNode;
}

/** Counts of replies by `kind:id` of their request. A request without replies is absent. */
export type ReplyCounts = ReadonlyMap<string, ReplyCount>;

/**
 * How long a poll waits before its second look, in milliseconds, after it found a writer between
 * its stamp and its commit. Most writers have committed by then.
 */
const SECOND_LOOK_MS = 30;

/** The statements of one type of principal. Each takes one round trip and reads one snapshot. */
export interface ReaderStatements {
  readonly active: Statement<RequestFacts>;
  readonly changedSince: Statement<PageRow | EmptyPageRow>;
  readonly dealSet: Statement<ResultRow>;
}

/** Returns the statements of a type of principal. */
export function readerStatements(type: PrincipalType): ReaderStatements {
  return {
    active: activeStatement(type),
    changedSince: changedSinceStatement(type),
    dealSet: resultStatement(type),
  };
}

/**
 * Reads a buyer's requests from PostgreSQL. Each type of principal has its own statements and its
 * own database role. No read returns facts of another buyer, and no assistant's read returns
 * withheld facts.
 *
 * Every read rejects with the reason of the deadline's signal once that is aborted, and with
 * `unavailable` when the data cannot be read.
 */
@Injectable()
export class DealSetQueries {
  readonly #statements: ByPrincipalType<ReaderStatements> = {
    session: readerStatements('session'),
    assistant: readerStatements('assistant'),
  };

  constructor(private readonly database: ReadDatabase) {}

  /** Returns the active requests, up to the limits of the plain list. */
  listActive({ type, buyerId }: Principal, { signal }: Deadline): Promise<ActiveRequests> {
    const { active } = this.#statements[type];
    return this.database.read(type, signal, async (node) => {
      const requests = await node.query(active, [buyerId], signal);
      const dealSets = requests.filter(({ kind }) => kind === 'deal_set');
      const singles = requests.filter(({ kind }) => kind === 'single');
      return {
        requests: [...dealSets.slice(0, ACTIVE_DEAL_SETS), ...singles.slice(0, ACTIVE_SINGLES)],
        hasMore: dealSets.length > ACTIVE_DEAL_SETS || singles.length > ACTIVE_SINGLES,
      };
    });
  }

  /** Returns a page of the requests that changed after a time. */
  changedSince(reader: Principal, page: FeedPageRequest, { signal }: Deadline): Promise<FeedPage> {
    return this.database.read(reader.type, signal, async (node) => {
      const first = await this.#probeAndPage(node, reader, page, signal);
      if (!first.hasBusyWriter || first.page.snapshot.hasMore) return first.page;
      // A writer is between its stamp and its commit: most have committed by the second look. The
      // first page is older than the second probe, so it is discarded.
      await untilAborted(signal, sleep(SECOND_LOOK_MS));
      return (await this.#probeAndPage(node, reader, page, signal)).page;
    });
  }

  /**
   * Counts, for the requests of a page, the replies that became readable after the page's `since`.
   *
   * @param signal aborts the look-up before the request's deadline, so that time is left for the
   *   response.
   */
  repliesOf(
    { requests, snapshot, node }: FeedPage,
    { buyerId }: AssistantPrincipal,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<ReplyCounts> {
    if (requests.length === 0) return Promise.resolve(new Map());
    // An upper bound: no reply in the page's snapshot has a later stamp. This also holds for
    // replies of a backfill.
    const latestStampMs = Math.max(snapshot.newestMs ?? 0, snapshot.readAtMs);
    const values = [
      buyerId,
      sinceMs,
      latestStampMs,
      requests.map(({ kind }) => kind),
      requests.map(({ id }) => id),
    ];
    return this.database.readOn(node, signal, async () => {
      const rows = await node.query(REPLIES, values, signal);
      return new Map(
        rows.map(({ kind, id, count, latestAt }) => [`${kind}:${id}`, { count, latestAt }]),
      );
    });
  }

  /**
   * Returns one deal set with its price checks and open items.
   *
   * @param id a UUID in lower case.
   * @returns null when the buyer has no deal set of this id.
   */
  findDealSet(reader: Principal, id: string, { signal }: Deadline): Promise<DealSetFacts | null> {
    const { dealSet } = this.#statements[reader.type];
    return this.database.readOne(reader.type, signal, async (node) =>
      dealSetFacts(await node.query(dealSet, [reader.buyerId, id], signal)),
    );
  }

  /**
   * Probes, asks whether anything is new, and reads the page only if so. The snapshots of both
   * statements after the probe must be taken after it has returned.
   */
  async #probeAndPage(
    node: ReadNode,
    { type, buyerId }: Principal,
    { sinceMs, pageSize }: FeedPageRequest,
    signal: AbortSignal,
  ): Promise<{ readonly page: FeedPage; readonly hasBusyWriter: boolean }> {
    const probing = { statement: FEED_PROBE, values: [buyerId] };
    const asking = { statement: FEED_NEWEST, values: [buyerId, sinceMs] };
    // The order matters: the probe returns before the other snapshot is taken.
    const [[probe], [newest]] = node.isReplica
      ? [[], await node.query(asking.statement, asking.values, signal)]
      : await node.queryInSequence(probing, asking, signal);
    if (!newest) throw new Error('the statement feed_newest returned no row');
    const rows = newest.isAfterSince
      ? await node.query(this.#statements[type].changedSince, [buyerId, sinceMs, pageSize], signal)
      : [];
    const { newestMs, lastFeedAtMs, hasMore } = rows.at(-1) ?? {
      newestMs: newest.newestMs,
      lastFeedAtMs: null,
      hasMore: false,
    };
    const snapshot: FeedSnapshot = {
      // Both clocks are earlier than the snapshot of the page.
      readAtMs: (probe ?? newest).readAtMs,
      // False on a replica, where writers cannot be detected, and for an unknown buyer, for whom
      // the probe returns no row.
      isQuiet: probe?.isQuiet ?? false,
      newestMs,
      lastFeedAtMs,
      hasMore,
    };
    return {
      page: { requests: rows.filter(isEntry), snapshot, node },
      hasBusyWriter: probe?.isQuiet === false,
    };
  }
}

function isEntry(row: PageRow | EmptyPageRow): row is PageRow {
  return row.id !== null;
}
