import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { Statement } from '../../database/cancellable-query-runner.js';
import { ReadDatabase } from '../../database/read-database.js';
import { formatIsoTime } from '../../kernel/iso-time.js';
import { untilAborted } from '../../kernel/time-limit.js';
import type { Principal, PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, RequestFacts } from '../domain/facts.js';
import type { FeedSnapshot } from '../domain/feed-position.js';
import type { NewReplies } from '../dto/list-entry.js';
import { factsOf, type StatementRow } from './columns.js';
import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  activeStatement,
  changedSinceStatement,
  FEED_PROBE,
  REPLIES_STATEMENT,
} from './entry-statements.js';
import { dealSetFacts, resultStatement } from './result-statement.js';

/**
 * The active requests, newest first: deal sets, then single requests. `hasMore`: an active request
 * was left out.
 */
export type ActiveRequests = Pick<FeedPage, 'requests'> & Pick<FeedSnapshot, 'hasMore'>;

/** A page of the feed, oldest change first, all from one snapshot. */
export interface FeedPage {
  readonly requests: readonly RequestFacts[];
  readonly snapshot: FeedSnapshot;
  /**
   * Counts the replies that are visible in this page's snapshot and newer than `since`, by
   * `kind:id`. It runs on the same server. Requests without such a reply are absent.
   */
  readonly lookUpReplies: (signal: AbortSignal) => Promise<ReadonlyMap<string, ReplyCount>>;
}

/** The replies of one request that became readable after a time, the latest at `latestAt`. */
export type ReplyCount = Omit<NewReplies, 'status'>;

/** The result of the probe; there is no row for an unknown buyer. */
type FeedProbe = Pick<FeedSnapshot, 'isQuiet' | 'readAtMs'>;

/**
 * An entry's row with what its snapshot shows of the feed so far. On an empty page, the id is null.
 */
type PageRow = StatementRow & Omit<FeedSnapshot, 'isQuiet'> & { readonly id: string | null };

/**
 * A poll that finds a writer between its stamp and its commit reads again after this time: most
 * writers have committed by then.
 */
const SECOND_LOOK_MS = 30;

/** The statements of one principal type. */
interface ReaderStatements {
  /** The active requests of the list. */
  readonly active: Statement;
  /** A page of the requests that changed after a time. */
  readonly changedSince: Statement;
  /** The reply counts of the requests of such a page. */
  readonly replies: Statement;
  /** One deal set with its rows. */
  readonly dealSet: Statement;
}

/** Builds the statements of a principal type. Each is one round trip and sees one snapshot. */
export function readerStatements(type: PrincipalType): ReaderStatements {
  return {
    active: { name: `${type}_active`, text: activeStatement(type) },
    changedSince: { name: `${type}_changed_since`, text: changedSinceStatement(type) },
    replies: { name: `${type}_replies`, text: REPLIES_STATEMENT },
    dealSet: { name: `${type}_one`, text: resultStatement(type) },
  };
}

/**
 * Reads a buyer's requests from PostgreSQL. Each principal type has statements and a database role
 * of its own: no fact of another buyer is read, and for an assistant no fact marked "session". The
 * reads fail with the signal's reason once it is aborted, and with `unavailable` when the data
 * cannot be read.
 */
@Injectable()
export class DealSetQueries {
  readonly #statements = {
    session: readerStatements('session'),
    assistant: readerStatements('assistant'),
  };

  constructor(private readonly database: ReadDatabase) {}

  listActive({ type, buyerId }: Principal, signal: AbortSignal): Promise<ActiveRequests> {
    const { active } = this.#statements[type];
    return this.database.read(type, signal, async (node) => {
      const rows = await node.query<StatementRow>(active, [buyerId], signal);
      const requests = factsOf(rows) as RequestFacts[];
      const sets = requests.filter(({ kind }) => kind === 'deal_set');
      const singles = requests.filter(({ kind }) => kind === 'single');
      return {
        requests: [...sets.slice(0, ACTIVE_DEAL_SETS), ...singles.slice(0, ACTIVE_SINGLES)],
        hasMore: sets.length > ACTIVE_DEAL_SETS || singles.length > ACTIVE_SINGLES,
      };
    });
  }

  /**
   * @param sinceMs milliseconds since 1970; selects the requests that changed strictly after it.
   * @param pageSize entries of the page, besides those that tie with the last one.
   */
  changedSince(
    reader: Principal,
    sinceMs: number,
    pageSize: number,
    signal: AbortSignal,
  ): Promise<FeedPage> {
    const { type, buyerId } = reader;
    const { changedSince, replies } = this.#statements[type];
    const since = formatIsoTime(sinceMs);
    return this.database.read(type, signal, async (node) => {
      // The probe comes first, because the page's snapshot must be younger than the probe.
      const look = async (): Promise<readonly [FeedProbe | undefined, readonly PageRow[]]> => {
        const [probed] = node.isReplica
          ? []
          : await node.query<FeedProbe>(FEED_PROBE, [buyerId], signal);
        const page = await node.query<PageRow>(changedSince, [buyerId, since, pageSize], signal);
        return [probed, page];
      };
      let [probed, rows] = await look();
      const isHeld = probed?.isQuiet === false && rows.at(-1)?.hasMore === false;
      if (isHeld) {
        await untilAborted(signal, sleep(SECOND_LOOK_MS));
        // The first page is older than the second probe, so it is discarded.
        [probed, rows] = await look();
      }
      const requests = factsOf(rows.filter(({ id }) => id !== null)) as RequestFacts[];
      const last = rows.at(-1);
      if (!last) throw new Error('the feed statement returned no row');
      const { readAtMs, newestMs, lastFeedAtMs, hasMore } = last;
      const snapshot = { readAtMs, newestMs, lastFeedAtMs, hasMore, isQuiet: false, ...probed };
      const lookUpReplies: FeedPage['lookUpReplies'] = async (limit) => {
        if (requests.length === 0) return new Map();
        const keys = [requests.map(({ kind }) => kind), requests.map(({ id }) => id)];
        const found = await node.query<ReplyCount & Pick<RequestFacts, 'kind' | 'id'>>(
          replies,
          // No reply of the snapshot has a later stamp, one of a backfill neither, which moves no request.
          [
            buyerId,
            since,
            formatIsoTime(Math.max(snapshot.newestMs ?? 0, snapshot.readAtMs)),
            ...keys,
          ],
          limit,
        );
        return new Map(found.map(({ kind, id, ...tally }) => [`${kind}:${id}`, tally]));
      };
      return { requests, snapshot, lookUpReplies };
    });
  }

  /**
   * @param id a UUID in lower case.
   * @returns the deal set, or null when the buyer has none with this id.
   */
  findDealSet(reader: Principal, id: string, signal: AbortSignal): Promise<DealSetFacts | null> {
    return this.database.readOne(reader.type, signal, async (node) => {
      const { dealSet } = this.#statements[reader.type];
      return dealSetFacts(await node.query<StatementRow>(dealSet, [reader.buyerId, id], signal));
    });
  }
}
