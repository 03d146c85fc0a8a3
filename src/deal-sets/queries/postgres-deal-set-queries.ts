import { Injectable } from '@nestjs/common';
import { ReadDatabase, type ReadNode } from '../../database/read-database.js';
import { formatIsoTime } from '../../kernel/iso-time.js';
import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts, RequestFacts } from '../domain/facts.js';
import type { FeedSnapshot } from '../domain/feed-position.js';
import {
  ACTIVE_DEAL_SETS,
  ACTIVE_SINGLES,
  DealSetQueries,
  type ActiveRequests,
  type FeedPage,
  type ReplyTally,
  type RequestKey,
} from './deal-set-queries.js';
import { factsOf, type Row } from './columns.js';
import { dealSetFacts } from './result-rows.js';
import { FEED_PROBE, readerStatements } from './statements.js';

interface ProbeRow {
  readonly isQuiet: boolean;
  readonly readAtMs: number;
}

/** An entry's row; what the session alone may know of it is null for an assistant. */
type EntryRow = RequestFacts & {
  /** Its row of the read model is computed. */
  readonly isComputed: boolean;
};

/** The feed as a page's snapshot shows it. */
interface Place {
  /** Null when the buyer has no request. */
  readonly newestMs: number | null;
  readonly readAtMs: number;
}

/** An entry of a page, with its place in the feed. */
type PageEntry = EntryRow &
  Place & {
    /** ISO 8601. */
    readonly feedAt: string;
    readonly isNewest: boolean;
  };

/** The only row of an empty page has no entry. */
type PageRow = PageEntry | (Place & { readonly id: null });

/** Reads requests from PostgreSQL, each type of principal by statements of its own under a role of its own. */
@Injectable()
export class PostgresDealSetQueries extends DealSetQueries {
  readonly #statements = {
    session: readerStatements('session'),
    assistant: readerStatements('assistant'),
  };

  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override listActive(
    principalType: PrincipalType,
    buyerId: string,
    signal: AbortSignal,
  ): Promise<ActiveRequests> {
    const { active, activeComputed } = this.#statements[principalType];
    return this.database.read(principalType, signal, async (node) => {
      let page = await node.query<Row>(active, [buyerId], signal);
      if (page.some((row) => row['isComputed'] !== true)) {
        page = await node.query<Row>(activeComputed, [buyerId], signal);
      }
      const rows = page.map((row) => factsOf(row) as EntryRow);
      const sets = rows.filter((row) => row.kind === 'deal_set');
      const singles = rows.filter((row) => row.kind === 'single');
      return {
        requests: [...sets.slice(0, ACTIVE_DEAL_SETS), ...singles.slice(0, ACTIVE_SINGLES)],
        hasMore: sets.length > ACTIVE_DEAL_SETS || singles.length > ACTIVE_SINGLES,
      };
    });
  }

  override changedSince(
    principalType: PrincipalType,
    buyerId: string,
    sinceMs: number,
    signal: AbortSignal,
  ): Promise<FeedPage> {
    const { changedSince, changedSinceComputed } = this.#statements[principalType];
    const values = [buyerId, formatIsoTime(sinceMs)];
    return this.database.read(principalType, signal, async (node) => {
      // The probe comes first: the page's snapshot must be younger than its answer.
      const [probed] = node.isReplica
        ? []
        : await node.query<ProbeRow>(FEED_PROBE, [buyerId], signal);
      let found = await node.query<Row>(changedSince, values, signal);
      if (found.some((row) => row['id'] !== null && row['isComputed'] !== true)) {
        found = await node.query<Row>(changedSinceComputed, values, signal);
      }
      const rows = found.map((row) => factsOf(row) as PageRow);
      const requests = rows.filter((row): row is PageEntry => row.id !== null);
      const snapshot = { ...snapshotOf(rows, requests.at(-1)), ...probed };
      return {
        requests,
        snapshot,
        lookUpReplies: (limit) =>
          this.#repliesOf(
            requests,
            node,
            principalType,
            [...values, latestStampOf(snapshot)],
            limit,
          ),
      };
    });
  }

  async #repliesOf(
    requests: readonly PageEntry[],
    node: ReadNode,
    principalType: PrincipalType,
    bounds: readonly string[],
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, ReplyTally>> {
    if (requests.length === 0) return new Map();
    const kinds = requests.map(({ kind }) => kind);
    const ids = requests.map(({ id }) => id);
    const { replies } = this.#statements[principalType];
    const rows = await node.query<RequestKey & ReplyTally>(
      replies,
      [...bounds, kinds, ids],
      signal,
    );
    return new Map(
      rows.map(({ kind, id, count, latestAt }) => [`${kind}:${id}`, { count, latestAt }]),
    );
  }

  override findDealSet(
    principalType: PrincipalType,
    buyerId: string,
    id: string,
    signal: AbortSignal,
  ): Promise<DealSetFacts | null> {
    return this.database.read(principalType, signal, async (node) => {
      const { one } = this.#statements[principalType];
      return dealSetFacts(await node.query<Row>(one, [buyerId, id], signal));
    });
  }
}

/** No reply of the page's snapshot has a later stamp, one of a backfill neither, which moves no request. */
function latestStampOf({ newestMs, readAtMs }: FeedSnapshot): string {
  return formatIsoTime(Math.max(newestMs ?? 0, readAtMs));
}

/** What the page's own snapshot says; whether the buyer's writers were quiet it cannot say. */
function snapshotOf([first]: readonly Place[], last: PageEntry | undefined): FeedSnapshot {
  if (!first) throw new Error('the feed statement returned no row');
  return {
    readAtMs: first.readAtMs,
    isQuiet: false,
    lastFeedAtMs: last ? Date.parse(last.feedAt) : null,
    hasMore: last ? !last.isNewest : false,
    newestMs: first.newestMs,
  };
}
