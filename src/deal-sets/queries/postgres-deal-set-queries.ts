import { Injectable } from '@nestjs/common';
import { ReadDatabase, type Statement } from '../../database/read-database.js';
import type { Deadline } from '../../kernel/deadline.js';
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
  type FeedPageWithReplies,
  type ReplyTally,
} from './deal-set-queries.js';
import { dealSetFacts, type ResultRow } from './result-rows.js';
import { inFeedOrder, inListOrder } from './row-order.js';
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

/** An entry of the plain list. */
type ActiveRow = EntryRow & { readonly requestedAt: string };

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
    /** Where the statement counts them. */
    readonly replies?: { readonly count: number; readonly latestAt: string | null };
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
    deadline: Deadline,
  ): Promise<ActiveRequests> {
    const { active, activeComputed } = this.#statements[principalType];
    return this.database.read(principalType, deadline, async (node) => {
      let page = await node.query<ActiveRow>(active, [buyerId], deadline);
      if (page.some((row) => !row.isComputed)) {
        page = await node.query<ActiveRow>(activeComputed, [buyerId], deadline);
      }
      const rows = inListOrder(page);
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
    deadline: Deadline,
  ): Promise<FeedPage> {
    const { changedSince, changedSinceComputed } = this.#statements[principalType];
    const statements = [changedSince, changedSinceComputed] as const;
    return this.#pageOf(principalType, statements, buyerId, sinceMs, deadline);
  }

  override async changedSinceWithReplies(
    principalType: PrincipalType,
    buyerId: string,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<FeedPageWithReplies> {
    const { changedSinceWithReplies, changedSinceWithRepliesComputed } =
      this.#statements[principalType];
    const statements = [changedSinceWithReplies, changedSinceWithRepliesComputed] as const;
    const page = await this.#pageOf(principalType, statements, buyerId, sinceMs, deadline);
    return { ...page, replies: repliesOf(page.requests) };
  }

  /** @param statements that of the read model, and the one that does without. */
  #pageOf(
    principalType: PrincipalType,
    [stored, computed]: readonly [Statement, Statement],
    buyerId: string,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<{ requests: readonly PageEntry[]; snapshot: FeedSnapshot }> {
    const values = [buyerId, formatIsoTime(sinceMs)];
    return this.database.read(principalType, deadline, async (node) => {
      // The probe comes first: the page's snapshot must be younger than its answer.
      const [probed, page] = node.isReplica
        ? [[], await node.query<PageRow>(stored, values, deadline)]
        : await node.queryAll<[ProbeRow[], PageRow[]]>(
            [
              { statement: FEED_PROBE, values: [buyerId] },
              { statement: stored, values },
            ],
            deadline,
          );
      const rows = page.some((row) => row.id !== null && !row.isComputed)
        ? await node.query<PageRow>(computed, values, deadline)
        : page;
      const requests = inFeedOrder(rows.filter((row): row is PageEntry => row.id !== null));
      return { requests, snapshot: { ...snapshotOf(rows, requests.at(-1)), ...probed[0] } };
    });
  }

  override findDealSet(
    principalType: PrincipalType,
    buyerId: string,
    id: string,
    deadline: Deadline,
  ): Promise<DealSetFacts | null> {
    return this.database.read(principalType, deadline, async (node) => {
      const { one } = this.#statements[principalType];
      return dealSetFacts(await node.query<ResultRow>(one, [buyerId, id], deadline));
    });
  }
}

function repliesOf(entries: readonly PageEntry[]): FeedPageWithReplies['replies'] {
  const tallies = new Map<string, ReplyTally>();
  for (const { kind, id, replies } of entries) {
    const { count = 0, latestAt = null } = replies ?? {};
    if (latestAt !== null) tallies.set(`${kind}:${id}`, { count, latestAt });
  }
  return tallies;
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
