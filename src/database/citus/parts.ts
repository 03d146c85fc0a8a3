import { isDistributed } from './inspect-cluster.js';
import type { SqlConnection } from './sql-connection.js';

const NIL = '00000000-0000-0000-0000-000000000000';
/** So many that a part is without one once in 10^13 times. */
const DRAWN_FOR_EACH_PART = 32;

interface Drawn {
  readonly ids: string[];
  readonly parts: number;
}

/**
 * A buyer's id, on record or not, for each part of the database: by it an order reaches the part. A part is a
 * set of shards that hold the same buyers; one PostgreSQL is one part.
 */
export async function partsOf(client: SqlConnection): Promise<string[]> {
  if (!(await isDistributed(client))) return [NIL];
  for (;;) {
    // Where an id belongs is known by its hash alone.
    const { rows } = await client.query<Drawn>(
      `WITH part AS (SELECT count(*)::integer AS count FROM pg_dist_shard WHERE logicalrelid = 'public.buyer'::regclass),
       drawn AS MATERIALIZED (
         SELECT gen_random_uuid() AS id FROM part, generate_series(1, part.count * ${DRAWN_FOR_EACH_PART})
       )
       SELECT part.count AS parts, array_agg(d.id) AS ids FROM part, (
         SELECT DISTINCT ON (get_shard_id_for_distribution_column('public.buyer', id)) id::text AS id FROM drawn
       ) d GROUP BY part.count`,
    );
    const [{ ids, parts }] = rows as [Drawn];
    if (ids.length === parts) return ids;
  }
}
