import type { ClientBase } from 'pg';
import { retryConflicts } from './retry-conflicts.js';

/** The progress or the result of a rebuild. */
export interface RebuildSummary {
  readonly buyers: number;
  /** Requests that were compared. */
  readonly compared: number;
  /** Requests that now look different to clients; they got a new stamp. */
  readonly changed: number;
}

const PAGE = 100;

/**
 * Recomputes, by the current rules, the rows that the triggers maintain. The service can run in the
 * meantime.
 *
 * Each buyer is rebuilt in one transaction. A request that looks different to clients gets one new
 * stamp. If the last rebuild was interrupted, this one continues near the point where it stopped;
 * otherwise it starts from the first buyer. A repeated rebuild does not restamp a request again.
 *
 * @param client a connection of the tables' owner, outside of a transaction.
 */
export async function rebuild(
  client: ClientBase,
  { onProgress }: { readonly onProgress?: (done: RebuildSummary) => void } = {},
): Promise<RebuildSummary> {
  const query = async <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    (await client.query(text, values)).rows as Row[];
  const [start] = await query<{ hash: string; after: string | null }>(
    'SELECT rules_hash AS hash, rebuilt_to AS after FROM deal_sets.schema_code',
  );
  if (!start) throw new Error('schema_code has no row');
  let { after } = start;
  const summary = { buyers: 0, compared: 0, changed: 0 };
  do {
    const page = await query<{ id: string }>(
      `SELECT id FROM deal_sets.buyer WHERE $1::uuid IS NULL OR id > $1 ORDER BY id LIMIT ${PAGE}`,
      [after],
    );
    for (const { id } of page) {
      const [result] = await retryConflicts(() =>
        query<Omit<RebuildSummary, 'buyers'>>('SELECT * FROM deal_sets.rebuild_buyer($1)', [id]),
      );
      summary.buyers += 1;
      summary.compared += result?.compared ?? 0;
      summary.changed += result?.changed ?? 0;
      onProgress?.({ ...summary });
    }
    after = page.length < PAGE ? null : (page.at(-1)?.id ?? null);
    await query(
      `UPDATE deal_sets.schema_code SET rebuilt_to = $1,
         rebuilt_hash = CASE WHEN $1::uuid IS NULL THEN rules_hash ELSE rebuilt_hash END
       WHERE rules_hash = $2`,
      [after, start.hash],
    );
  } while (after !== null);
  return summary;
}
