import { Injectable } from '@nestjs/common';
import { ReadDatabase, type ReadNode } from '../../database/read-database.js';
import { RetryingNode } from '../../database/reading/retrying-node.js';
import type { Deadline } from '../../kernel/deadline.js';
import { formatIsoTime } from '../../kernel/iso-time.js';
import type { PrincipalType } from '../../kernel/principal.js';
import type { DealSetFacts } from '../domain/facts.js';
import {
  DealSetReader,
  type ActiveRequests,
  type FeedPage,
  type ReplyTally,
  type RequestKey,
} from './deal-set-reader.js';
import { isoFromPg } from './pg-time.js';
import {
  dealSetFacts,
  requestFacts,
  type EntryRecord,
  type MemberRecord,
} from './record-mapping.js';
import { FEED_PROBE, readerStatements } from './statements.js';

interface ProbeRecord {
  is_quiet: boolean;
  read_at_ms: number;
}

type PageRecord = {
  page_edge_ms: number | null;
  has_more: boolean;
  newest_ms: number | null;
  read_at_ms: number;
} & (EntryRecord | { id: null });

interface ReplyRecord {
  kind: RequestKey['kind'];
  request_id: string;
  count: number;
  latest_at: string;
}

/** Reads requests from PostgreSQL, each type of reader by statements of its own under a role of its own. */
@Injectable()
export class PostgresDealSetReader extends DealSetReader {
  readonly #statements = {
    session: readerStatements('session'),
    assistant: readerStatements('assistant'),
  };

  constructor(private readonly database: ReadDatabase) {
    super();
  }

  override active(
    viewer: PrincipalType,
    buyerId: string,
    deadline: Deadline,
  ): Promise<ActiveRequests> {
    return this.database.read(viewer, deadline, async (node) => {
      const records = await node.query<EntryRecord & { has_more: boolean }>(
        this.#statements[viewer].active,
        [buyerId],
        deadline,
      );
      return { requests: records.map(requestFacts), hasMore: records[0]?.has_more ?? false };
    });
  }

  override changedSince(
    viewer: PrincipalType,
    buyerId: string,
    sinceMs: number,
    deadline: Deadline,
  ): Promise<FeedPage> {
    return this.database.read(viewer, deadline, async (node) => {
      const [probe] = node.isReplica
        ? []
        : await node.query<ProbeRecord>(FEED_PROBE, [buyerId], deadline);
      const records = await node.query<PageRecord>(
        this.#statements[viewer].changedSince,
        [buyerId, formatIsoTime(sinceMs)],
        deadline,
      );
      const [reading] = records;
      if (!reading) throw new Error('the feed statement answered no reading');
      const requests = records
        .filter((record): record is PageRecord & EntryRecord => record.id !== null)
        .map(requestFacts);
      return {
        requests,
        repliesSince: (limitMs) =>
          this.#repliesSince(node, viewer, buyerId, requests, sinceMs, deadline, limitMs),
        reading: {
          readAtMs: probe?.read_at_ms ?? reading.read_at_ms,
          isQuiet: probe?.is_quiet ?? false,
          pageEdgeMs: reading.page_edge_ms,
          hasMore: reading.has_more,
          newestMs: reading.newest_ms,
        },
      };
    });
  }

  async #repliesSince(
    node: ReadNode,
    viewer: PrincipalType,
    buyerId: string,
    requests: readonly RequestKey[],
    sinceMs: number,
    deadline: Deadline,
    limitMs: number,
  ): Promise<ReadonlyMap<string, ReplyTally>> {
    const records = await new RetryingNode(node).query<ReplyRecord>(
      this.#statements[viewer].repliesSince,
      [buyerId, requests.map((request) => request.id), formatIsoTime(sinceMs)],
      deadline,
      limitMs,
    );
    return new Map(
      records.map((record) => [
        `${record.kind}:${record.request_id}`,
        { count: record.count, latestAt: isoFromPg(record.latest_at) },
      ]),
    );
  }

  override one(
    viewer: PrincipalType,
    buyerId: string,
    id: string,
    deadline: Deadline,
  ): Promise<DealSetFacts | null> {
    return this.database.read(viewer, deadline, async (node) => {
      const [first, ...rest] = await node.query<MemberRecord>(
        this.#statements[viewer].one,
        [buyerId, id],
        deadline,
      );
      return first ? dealSetFacts([first, ...rest]) : null;
    });
  }
}
