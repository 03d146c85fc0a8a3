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
import type { Row } from './columns.js';
import { readEntry } from './entry-statements.js';
import { dealSetFacts } from './result-statement.js';
import { FEED_PROBE, readerStatements } from './statements.js';

interface ProbeRow {
  readonly isQuiet: boolean;
  readonly readAtMs: number;
}

/** An entry's row of a page, with its place in the feed as the page's snapshot shows it. */
interface PageRow extends Row {
  /** Null in the only row of an empty page. */
  readonly id: string | null;
  /** Null when the buyer has no request. */
  readonly newestMs: number | null;
  readonly readAtMs: number;
  /** ISO 8601. */
  readonly feedAt: string;
  readonly isNewest: boolean;
}

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
    const { active } = this.#statements[principalType];
    return this.database.read(principalType, signal, async (node) => {
      const rows = await node.query<Row>(active, [buyerId], signal);
      const requests = rows.map(readEntry);
      const sets = requests.filter(({ kind }) => kind === 'deal_set');
      const singles = requests.filter(({ kind }) => kind === 'single');
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
    const { changedSince } = this.#statements[principalType];
    const values = [buyerId, formatIsoTime(sinceMs)];
    return this.database.read(principalType, signal, async (node) => {
      // The probe comes first: the page's snapshot must be younger than its answer.
      const [probed] = node.isReplica
        ? []
        : await node.query<ProbeRow>(FEED_PROBE, [buyerId], signal);
      const rows = await node.query<PageRow>(changedSince, values, signal);
      const requests = rows.filter(({ id }) => id !== null).map(readEntry);
      const snapshot = { ...snapshotOf(rows), ...probed };
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
    requests: readonly RequestFacts[],
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
function snapshotOf(rows: readonly PageRow[]): FeedSnapshot {
  const [first] = rows;
  const last = rows.at(-1);
  if (!first || !last) throw new Error('the feed statement returned no row');
  const isEmpty = last.id === null;
  return {
    readAtMs: first.readAtMs,
    isQuiet: false,
    lastFeedAtMs: isEmpty ? null : Date.parse(last.feedAt),
    hasMore: !isEmpty && !last.isNewest,
    newestMs: first.newestMs,
  };
}
