import type { DistributedDatabase } from './distributed-database.js';

interface Placement {
  readonly shardid: string;
  readonly port: number;
}

/** Address of the worker that stores a buyer. */
export async function workerOf(database: DistributedDatabase, buyerId: string): Promise<string> {
  const [row] = await database.query<{ port: number }>(
    `SELECT nodeport AS port FROM pg_dist_shard_placement
     WHERE shardid = get_shard_id_for_distribution_column('buyer', $1::uuid)`,
    [buyerId],
  );
  const url = database.nodeUrls.find((nodeUrl) => new URL(nodeUrl).port === String(row?.port));
  if (url === undefined) throw new Error(`no node stores ${buyerId}`);
  return url;
}

/** Moves this many sets of shards to the other worker, one after another, while they are used. */
export async function moveShards(database: DistributedDatabase, count: number): Promise<number> {
  const placements = await database.query<Placement & Record<string, unknown>>(
    `SELECT shardid, nodeport AS port FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid)
     WHERE logicalrelid = 'buyer'::regclass ORDER BY shardid LIMIT $1`,
    [count],
  );
  const ports = database.nodes.slice(1).map(({ port }) => port);
  for (const { shardid, port } of placements) {
    const target = ports.find((other) => other !== port);
    await database.query(
      `SELECT citus_move_shard_placement($1, '127.0.0.1', $2, '127.0.0.1', $3, 'force_logical')`,
      [shardid, port, target],
    );
  }
  return placements.length;
}
