import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseError } from 'pg';
import { SeededRandom } from '../../world/seeded-random.js';
import { insertReply, STAMP, type FeedWorld } from '../../setup/feed-world.js';

export interface WritersOptions {
  readonly commits: number;
  readonly writers: number;
  /** The longest pause between two statements of a transaction, in milliseconds. */
  readonly longestPauseMs: number;
  readonly seed: number;
  /**
   * A writer that renames a dealership also touches its price checks, because no trigger can do
   * that on a distributed database.
   */
  readonly isDistributed?: boolean;
}

export interface WritersOutcome {
  commits: number;
  rollbacks: number;
  /**
   * Transactions that PostgreSQL ended because of a deadlock or a conflict. None of their changes
   * may be visible.
   */
  rejected: number;
}

/** The requests of a buyer that writers choose from. */
interface Ids {
  readonly buyerId: string;
  readonly sets: readonly string[];
  readonly checks: readonly string[];
}

// 23502, 23503: the price check is gone. 55P03: a lock timeout on a distributed database, where it
// ends two prepared transactions that wait for each other.
const RETRYABLE = new Set(['40P01', '40001', '23502', '23503', '23505', '55P03']);

/**
 * Runs writers that do not use the feed's functions: plain SQL, pauses, rollbacks, savepoints, old
 * snapshots, long transactions and transactions with many statements.
 *
 * @param isEnough the writers go on until it returns true, even after their commits.
 */
export async function runWriters(
  world: FeedWorld,
  options: WritersOptions,
  isEnough: () => boolean = () => true,
): Promise<WritersOutcome> {
  const outcome: WritersOutcome = { commits: 0, rollbacks: 0, rejected: 0 };
  const ids: Ids[] = [];
  for (const { id: buyerId } of world.buyers) {
    const idsIn = async (table: string): Promise<string[]> =>
      (
        await world.database.query<{ id: string }>(
          `SELECT id FROM deal_sets.${table} WHERE buyer_id = $1 ORDER BY id`,
          [buyerId],
        )
      ).map(({ id }) => id);
    ids.push({
      buyerId,
      sets: await idsIn('deal_set'),
      checks: await idsIn('price_check'),
    });
  }
  const write = async (index: number): Promise<void> => {
    const random = new SeededRandom(String(options.seed), `writer ${index}`);
    const client = await world.writer();
    while (outcome.commits < options.commits || !isEnough()) {
      const statements = transaction(random, world, ids, options);
      try {
        for (const statement of statements) {
          await client.query(statement);
          const share = random.integer(0, 1_000) / 1_000;
          if (statement === STAMP || random.chance(0.4))
            await sleep(options.longestPauseMs * share ** 3);
        }
        outcome[statements.at(-1) === 'COMMIT' ? 'commits' : 'rollbacks'] += 1;
      } catch (error) {
        await client.query('ROLLBACK');
        const code = error instanceof DatabaseError ? error.code : undefined;
        if (code === undefined || !RETRYABLE.has(code)) throw error;
        outcome.rejected += 1;
      }
    }
  };
  await Promise.all(Array.from({ length: options.writers }, (_, index) => write(index)));
  return outcome;
}

/**
 * The statements of one transaction: requests of one buyer in the order of their ids, or of many
 * buyers.
 */
function transaction(
  random: SeededRandom,
  world: FeedWorld,
  ids: readonly Ids[],
  { isDistributed = false }: WritersOptions,
): string[] {
  const end = random.chance(0.1) ? 'ROLLBACK' : 'COMMIT';
  if (random.chance(0.03)) {
    const name = random.pick(['Kestrel', 'Kestrel Honda', `Quarry ${random.integer(1, 1e6)}`]);
    const rename = `UPDATE deal_sets.dealership SET name = '${name}' WHERE id = '${world.renamed.id}'`;
    if (!isDistributed) return ['BEGIN', rename, end];
    // One connection to each node makes the transaction visible to itself there.
    const sequential = `SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`;
    const touch = `SELECT deal_sets.renew_price_checks(ARRAY['${world.renamed.id}'::uuid])`;
    return ['BEGIN', `${sequential}; ${rename}; ${touch}`, end];
  }
  const own = random.pick(ids);
  const isOld = random.chance(0.15);
  const count = random.chance(0.6) ? 1 : random.integer(2, 4);
  const chosen = Array.from({ length: count }, () => random.pick(own.checks)).sort();
  const statements = [`BEGIN ISOLATION LEVEL ${isOld ? 'REPEATABLE READ' : 'READ COMMITTED'}`];
  if (isOld || random.chance(0.3)) statements.push('SELECT now()');
  for (const id of chosen) {
    // Listings are written at READ COMMITTED only.
    const change =
      isOld || random.chance(0.8)
        ? priceCheckChange(random, own, id)
        : structuralChange(random, world, own, id);
    const isUndone = random.chance(0.1);
    if (isUndone) statements.push('SAVEPOINT undone');
    statements.push(change);
    if (isUndone && random.chance(0.5)) statements.push(STAMP, 'SET CONSTRAINTS ALL DEFERRED');
    if (isUndone) statements.push('ROLLBACK TO SAVEPOINT undone');
  }
  if (random.chance(0.1)) statements.push(STAMP);
  return [...statements, end];
}

/** Changes of a price check and its thread, at any isolation level. */
function priceCheckChange(random: SeededRandom, { buyerId }: Ids, id: string): string {
  // A distributed database rejects now() within CASE.
  const now = `timestamptz '${new Date().toISOString()}'`;
  // Few distinct values produce ties in a ranking; many reveal a lost change.
  const cents = random.integer(1, random.pick([4, 1e9]));
  const update = (change: string): string =>
    `UPDATE deal_sets.price_check SET ${change} WHERE buyer_id = '${buyerId}' AND id = '${id}'`;
  const toggled = (column: string, value: string): string =>
    update(`${column} = CASE WHEN ${column} IS NULL THEN ${value} END`);
  const child = `'${buyerId}', '${randomUUID()}', '${id}'`;
  if (random.chance(0.4)) {
    return update(`answer = 'same_car', otd_cents = ${cents}, written_at = now()`);
  }
  return random.pick([
    update(`otd_cents = ${cents}, written_at = '2026-01-02', distance_miles = ${cents % 100}`),
    update(`answer = 'different_car'`),
    update('otd_cents = NULL, selling_price_cents = NULL, written_at = NULL, ended = NULL'),
    toggled('ended', `'sold'`),
    toggled('ended', `CASE WHEN written_at IS NOT NULL THEN 'closed_with_price' END`),
    toggled('archived_at', now),
    toggled('chosen_at', now),
    toggled('unlocked_at', now),
    toggled('finished_at', now),
    `INSERT INTO deal_sets.question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
     VALUES (${child}, 'trade_in', 'Well?', 'text', now())`,
    `UPDATE deal_sets.question SET answered_at = now() WHERE buyer_id = '${buyerId}' AND price_check_id = '${id}'`,
    `INSERT INTO deal_sets.draft (buyer_id, id, price_check_id, body, created_at) VALUES (${child}, 'Yes.', now())`,
    `DELETE FROM deal_sets.draft WHERE buyer_id = '${buyerId}' AND price_check_id = '${id}'`,
    insertReply(buyerId, id),
  ]);
}

/**
 * Changes of deal sets, listings and dealerships, of the grouping of price checks, and new or
 * deleted requests.
 */
function structuralChange(random: SeededRandom, world: FeedWorld, own: Ids, id: string): string {
  const set = random.pick(own.sets);
  const check = `UPDATE deal_sets.price_check SET %s WHERE buyer_id = '${own.buyerId}' AND id = '${id}'`;
  const ofSet = `UPDATE deal_sets.deal_set SET %s WHERE buyer_id = '${own.buyerId}' AND id = '${set}'`;
  const made = (dealSetId: string): string =>
    `INSERT INTO deal_sets.price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
     VALUES ('${own.buyerId}', '${id}', ${dealSetId}, '${world.renamed.id}', now(), 'Kestrel')
     ON CONFLICT (buyer_id, id) DO UPDATE SET requested_at = excluded.requested_at`;
  return random.pick([
    check.replace('%s', `deal_set_id = '${set}'`),
    check.replace('%s', 'deal_set_id = NULL'),
    check.replace('%s', `listing_trim = '${random.pick(['Kestrel', 'EX', 'LX'])}'`),
    check.replace(
      '%s',
      `dealership_id = '${random.pick([world.dealership.id, world.renamed.id])}'`,
    ),
    ofSet.replace('%s', `dealers_found = ${random.integer(1, 1_000)}`),
    ofSet.replace('%s', `car_model = '${random.pick(['Pilot', 'CR-V'])}'`),
    ofSet.replace('%s', `ended_at = '${new Date().toISOString()}'`),
    ofSet.replace('%s', 'ended_at = NULL'),
    `DELETE FROM deal_sets.price_check WHERE buyer_id = '${own.buyerId}' AND id = '${id}'`,
    made('NULL'),
    made(`'${set}'`),
  ]);
}
