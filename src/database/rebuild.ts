import type { ClientBase } from 'pg';
import { retryConflicts } from './retry-conflicts.js';

export interface RebuildOptions {
  /** Every request, not only those that were last built by older rules. */
  readonly isAll?: boolean;
  /** Requests of one transaction. */
  readonly batchSize?: number;
  readonly onBatch?: (done: RebuildSummary) => void;
}

/** What a rebuild did, so far or in all. */
export interface RebuildSummary {
  /** Requests that were looked at. */
  readonly rebuilt: number;
  /** Those of which a client now sees something else: they moved in the feed. */
  readonly stamped: number;
}

interface Position {
  readonly buyer_id: string;
  readonly request_id: string;
  readonly kind: string;
}

interface Batch extends Position {
  readonly rebuilt: number;
  readonly stamped: number;
}

const BATCH_SIZE = 200;
const NIL = '00000000-0000-0000-0000-000000000000';

/** From here on new requests are shown by the rules of this version. */
const USE_RULES =
  'UPDATE rules_in_use SET revision = rules_revision() WHERE revision < rules_revision()';

/**
 * Brings what is derived from the data to the rules of this version, while the service runs.
 *
 * It walks the requests in the order of buyer and request, a batch to a transaction, and stamps a request
 * once when a client sees something else of it. It can be ended at any time and run again: what is done is
 * not done twice. Run it when no instance of the version before is left.
 *
 * @param client a connection of the tables' owner, in no transaction.
 */
export async function rebuild(
  client: ClientBase,
  { isAll = false, batchSize = BATCH_SIZE, onBatch = () => undefined }: RebuildOptions = {},
): Promise<RebuildSummary> {
  await retryConflicts(() => client.query(USE_RULES));
  let summary: RebuildSummary = { rebuilt: 0, stamped: 0 };
  let after: Position = { buyer_id: NIL, request_id: NIL, kind: '' };
  for (;;) {
    const { buyer_id, request_id, kind } = after;
    const batch = await retryConflicts(async () => {
      const { rows } = await client.query<Batch>(
        'SELECT * FROM rebuild_requests($1, $2, $3, $4, $5, $6)',
        [NIL, buyer_id, request_id, kind, batchSize, isAll],
      );
      return rows[0];
    });
    if (!batch) break;
    after = batch;
    summary = {
      rebuilt: summary.rebuilt + batch.rebuilt,
      stamped: summary.stamped + batch.stamped,
    };
    onBatch(summary);
  }
  return summary;
}

/** How many requests a rebuild will look at. */
export async function requestsToRebuild(client: ClientBase, isAll: boolean): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::integer AS count FROM request_feed WHERE $1 OR rules_revision < rules_revision() OR requested_at IS NULL`,
    [isAll],
  );
  return rows[0]?.count ?? 0;
}
