import type { ClientBase } from 'pg';
import { retryConflicts } from './retry-conflicts.js';

export interface RebuildOptions {
  readonly onProgress?: (done: RebuildSummary) => void;
}

/** What a rebuild did, so far or in all. */
export interface RebuildSummary {
  readonly buyers: number;
  /** Requests that were looked at. */
  readonly compared: number;
  /** Those of which a client now sees something else: they moved in the feed. */
  readonly changed: number;
}

interface BuyerSummary {
  readonly compared: number;
  readonly changed: number;
}

const PAGE = 100;

/**
 * Brings what the triggers keep to the rules in force, while the service runs.
 *
 * It goes through the buyers in the order of their ids, each in a transaction of her own, and stamps a request once
 * when a client sees something else of it. One that was ended goes on where it was; one that came to its end starts
 * anew, which moves nothing a second time.
 *
 * @param client a connection of the tables' owner, in no transaction.
 */
export async function rebuild(
  client: ClientBase,
  { onProgress = () => undefined }: RebuildOptions = {},
): Promise<RebuildSummary> {
  const { rulesHash, ...start } = await position(client);
  let after = start.after;
  let summary: RebuildSummary = { buyers: 0, compared: 0, changed: 0 };
  for (;;) {
    const { rows } = await client.query<{ id: string }>(
      `SELECT id FROM public.buyer WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT ${PAGE}`,
      [after],
    );
    for (const { id } of rows) {
      const { compared, changed } = await rebuildBuyer(client, id);
      const { buyers } = summary;
      summary = {
        buyers: buyers + 1,
        compared: summary.compared + compared,
        changed: summary.changed + changed,
      };
      onProgress(summary);
    }
    after = rows.at(-1)?.id ?? null;
    if (rows.length < PAGE) break;
    await client.query('UPDATE public.schema_code SET rebuilt_to = $1 WHERE rules_hash = $2', [
      after,
      rulesHash,
    ]);
  }
  await client.query(
    'UPDATE public.schema_code SET rebuilt_hash = $1, rebuilt_to = NULL WHERE rules_hash = $1',
    [rulesHash],
  );
  return summary;
}

async function rebuildBuyer(client: ClientBase, id: string): Promise<BuyerSummary> {
  return retryConflicts(async () => {
    const { rows } = await client.query<BuyerSummary>('SELECT * FROM deal_sets.rebuild_buyer($1)', [
      id,
    ]);
    return rows[0] ?? { compared: 0, changed: 0 };
  });
}

async function position(client: ClientBase): Promise<{ rulesHash: string; after: string | null }> {
  const { rows } = await client.query<{ rulesHash: string; after: string | null }>(
    'SELECT rules_hash AS "rulesHash", rebuilt_to AS after FROM public.schema_code',
  );
  if (!rows[0]) throw new Error('schema_code has no row');
  return rows[0];
}
