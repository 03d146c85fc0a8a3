import type { ClientBase } from 'pg';

const KEY = `hashtextextended('deal_sets.import', 0)`;

/** An import excludes other imports; an erasure excludes imports only. */
type Mode = 'import' | 'erasure';

/** A connection of the driver, or TypeORM's entity manager. */
type Query = (sql: string) => Promise<readonly { readonly is_free: boolean }[]>;

/**
 * Takes the lock of imports until the end of the transaction. Imports run one after another, because
 * each checks its file against a state that no other import changes, and none restores a buyer who
 * is erased meanwhile.
 *
 * @param onWaiting called when another import holds the lock.
 */
export async function lockImports(query: Query, mode: Mode, onWaiting: () => void): Promise<void> {
  const suffix = mode === 'import' ? '' : '_shared';
  const [row] = await query(`SELECT pg_try_advisory_xact_lock${suffix}(${KEY}) AS is_free`);
  if (row?.is_free) return;
  onWaiting();
  await query(`SELECT pg_advisory_xact_lock${suffix}(${KEY})`);
}

/** Returns the function that runs a statement on a connection of the driver. */
export function queryOf(client: ClientBase): Query {
  return async (sql) => (await client.query<{ is_free: boolean }>(sql)).rows;
}
