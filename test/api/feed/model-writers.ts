import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { SeededRandom } from '../../../packages/demo/src/world/seeded-random.js';
import { dealSet, load, priceCheck } from '../../builders/index.js';
import type { FeedWorld } from './feed-world.js';

type Random = () => number;

export interface HistoryOptions {
  readonly seed: number;
  readonly writers: number;
  readonly commits: number;
  /** Called after each commit of any writer; the next of the same writer waits for it. */
  readonly onCommit: (what: readonly string[]) => Promise<void>;
}

/** The ids that the writers choose from. */
interface Ids {
  readonly buyerId: string;
  readonly sets: readonly string[];
  readonly checks: readonly string[];
}

const RETRYABLE = new Set(['40P01', '40001', '23503', '23505']);

/** Requests of the world's buyers, with listings that a renaming can hide. */
export async function makeRequests(world: FeedWorld, setsEach: number): Promise<Ids[]> {
  const made: Ids[] = [];
  for (const { id: buyerId } of world.buyers) {
    const sets = Array.from({ length: setsEach }, () => dealSet({ buyerId }));
    const check = (index: number, dealSetId?: string) =>
      priceCheck({
        buyerId,
        ...(dealSetId === undefined ? {} : { dealSetId }),
        dealershipId: index % 2 === 0 ? world.shop.id : world.renamed.id,
        listing: {
          year: 2025,
          make: 'Honda',
          model: 'CR-V',
          trim: index % 3 === 0 ? 'Kestrel' : 'EX',
        },
      });
    const checks = [
      ...sets.flatMap(({ id }) => [0, 1, 2, 3].map((index) => check(index, id))),
      ...[0, 1, 2].map((index) => check(index)),
    ];
    await load(world.database, [...sets, ...checks]);
    made.push({ buyerId, sets: sets.map(({ id }) => id), checks: checks.map(({ id }) => id) });
  }
  return made;
}

/** Random transactions of several writers at once. @returns how many PostgreSQL ended, because writers met. */
export async function runHistory(
  world: FeedWorld,
  ids: readonly Ids[],
  { seed, writers, commits, onCommit }: HistoryOptions,
): Promise<{ refused: number }> {
  let left = commits;
  let refused = 0;
  const write = async (index: number): Promise<void> => {
    const seeded = new SeededRandom(String(seed), `writer ${index}`);
    const random: Random = () => seeded.integer(0, 2 ** 31 - 1) / 2 ** 31;
    const client = new Client({ connectionString: world.database.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      while (left > 0) {
        const statements = transaction(random, world, ids);
        try {
          for (const statement of statements) {
            await client.query(statement);
            if (random() < 0.3) await sleep(random() * 5);
          }
        } catch (error) {
          await client.query('ROLLBACK');
          const code = error instanceof DatabaseError ? error.code : undefined;
          if (code === undefined || !RETRYABLE.has(code)) throw error;
          refused += 1;
          continue;
        }
        left -= 1;
        await onCommit(statements);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: writers }, (_, index) => write(index)));
  return { refused };
}

function transaction(random: Random, world: FeedWorld, ids: readonly Ids[]): string[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (random() < 0.06) {
    const name = pick(['Kestrel', 'Ferry Lane Cars', 'Kestrel Honda']);
    return [`UPDATE dealership SET name = '${name}' WHERE id = '${world.renamed.id}'`];
  }
  const own = pick(ids);
  const changes = Array.from({ length: 1 + Math.floor(random() * 3) }, () =>
    changeOf(random, world, own, pick),
  );
  const isOld = random() < 0.2;
  const isHistory = random() < 0.15;
  const statements = [`BEGIN ISOLATION LEVEL ${isOld ? 'REPEATABLE READ' : 'READ COMMITTED'}`];
  if (isOld) statements.push('SELECT now()');
  if (isHistory) statements.push('SELECT deal_sets.feed_enter_history()');
  for (const change of changes) {
    const isUndone = random() < 0.15;
    if (isUndone) statements.push('SAVEPOINT undone');
    // Listings are written at READ COMMITTED only.
    statements.push(isOld ? ofThread(random, own, pick) : change);
    if (isUndone && random() < 0.5) statements.push('SET CONSTRAINTS ALL IMMEDIATE');
    if (isUndone) statements.push('ROLLBACK TO SAVEPOINT undone');
  }
  if (random() < 0.1) statements.push('SET CONSTRAINTS ALL IMMEDIATE');
  return [...statements, random() < 0.1 ? 'ROLLBACK' : 'COMMIT'];
}

type Pick = <T>(list: readonly T[]) => T;

/** Changes of threads and standings: at any isolation level. */
function ofThread(random: Random, { buyerId, checks }: Ids, pick: Pick): string {
  const at = `buyer_id = '${buyerId}'`;
  const id = pick(checks);
  const child = `'${buyerId}', '${randomUUID()}', '${id}'`;
  const cents = 1 + Math.floor(random() * 4);
  const update = (change: string): string =>
    `UPDATE price_check SET ${change} WHERE ${at} AND id = '${id}'`;
  const exists = `WHERE EXISTS (SELECT FROM price_check WHERE ${at} AND id = '${id}')`;
  return pick([
    update(`answer = 'same_car', otd_cents = ${cents}, written_at = now()`),
    update(
      `answer = 'same_car', otd_cents = ${cents}, written_at = '2026-01-0${cents}', distance_miles = ${cents * 11}`,
    ),
    update(`answer = 'different_car'`),
    update(`otd_cents = NULL, selling_price_cents = NULL, written_at = NULL`),
    update(`ended = CASE WHEN ended IS NULL THEN '${pick(['sold', 'closed_with_price'])}' END`),
    update(`archived_at = CASE WHEN archived_at IS NULL THEN now() END`),
    update(`chosen_at = CASE WHEN chosen_at IS NULL THEN now() END`),
    update(`unlocked_at = CASE WHEN unlocked_at IS NULL THEN now() END`),
    update(`finished_at = CASE WHEN finished_at IS NULL THEN now() END`),
    `INSERT INTO question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
     SELECT ${child}, 'trade_in', 'Well?', 'text', now() ${exists}`,
    `UPDATE question SET answered_at = now() WHERE ${at} AND price_check_id = '${id}'`,
    `INSERT INTO draft (buyer_id, id, price_check_id, body, created_at) SELECT ${child}, 'Yes.', now() ${exists}`,
    `DELETE FROM draft WHERE ${at} AND price_check_id = '${id}'`,
    `INSERT INTO reply (buyer_id, id, price_check_id, received_at) SELECT ${child}, now() ${exists}`,
  ]);
}

function changeOf(random: Random, world: FeedWorld, own: Ids, pick: Pick): string {
  const at = `buyer_id = '${own.buyerId}'`;
  const id = pick(own.checks);
  const set = pick(own.sets);
  if (random() < 0.6) return ofThread(random, own, pick);
  return pick([
    `UPDATE price_check SET deal_set_id = '${set}' WHERE ${at} AND id = '${id}'`,
    `UPDATE price_check SET deal_set_id = NULL WHERE ${at} AND id = '${id}'`,
    `UPDATE price_check SET listing_trim = '${pick(['Kestrel', 'EX', 'LX'])}' WHERE ${at} AND id = '${id}'`,
    `UPDATE price_check SET dealership_id = '${pick([world.shop.id, world.renamed.id])}' WHERE ${at} AND id = '${id}'`,
    `UPDATE deal_set SET ended_at = CASE WHEN ended_at IS NULL THEN now() END WHERE ${at} AND id = '${set}'`,
    `UPDATE deal_set SET car_model = '${pick(['Pilot', 'CR-V', 'Kestrel'])}' WHERE ${at} AND id = '${set}'`,
    `DELETE FROM price_check WHERE ${at} AND id = '${id}'`,
    `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
     VALUES ('${own.buyerId}', '${id}', ${pick([`'${set}'`, 'NULL'])}, '${world.renamed.id}', now(), 'Kestrel')
     ON CONFLICT (buyer_id, id) DO UPDATE SET requested_at = excluded.requested_at`,
  ]);
}
