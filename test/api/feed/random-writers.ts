import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, DatabaseError } from 'pg';
import { SeededRandom } from '../../../packages/demo/src/world/seeded-random.js';
import type { FeedWorld } from './feed-world.js';

export interface WritersOptions {
  readonly commits: number;
  readonly writers: number;
  /** The longest a transaction pauses between two of its statements. */
  readonly longestPauseMs: number;
  readonly seed: number;
  /** Who renames a dealership touches its price checks: on a distributed database no trigger can. */
  readonly touchesWhatItRenames?: boolean;
}

export interface WritersOutcome {
  commits: number;
  rollbacks: number;
  /** Transactions that PostgreSQL ended: their rows or locks met crosswise. Nothing of them may be seen. */
  refused: number;
}

/** What may be changed by anyone at any time: the members of a buyer's requests. */
interface Member {
  readonly buyerId: string;
  readonly priceCheckId: string;
  readonly dealSetId: string | null;
}

type Random = () => number;
// 55P03: of a distributed database, where two that are prepared wait for each other no longer than this.
const RETRYABLE = new Set(['40P01', '40001', '23503', '55P03']);

/** Writers who know nothing of the feed: plain SQL, pauses, rollbacks, long and many-statement transactions. */
export async function runWriters(
  world: FeedWorld,
  options: WritersOptions,
): Promise<WritersOutcome> {
  const outcome: WritersOutcome = { commits: 0, rollbacks: 0, refused: 0 };
  const members = await world.database.query<Member & Record<string, unknown>>(
    `SELECT buyer_id AS "buyerId", id AS "priceCheckId", deal_set_id AS "dealSetId" FROM price_check ORDER BY id`,
  );
  const write = async (index: number): Promise<void> => {
    const seeded = new SeededRandom(String(options.seed), `writer ${index}`);
    const random = (): number => seeded.integer(0, 2 ** 31 - 1) / 2 ** 31;
    const client = new Client({ connectionString: world.database.url });
    client.on('error', () => undefined);
    await client.connect();
    try {
      while (outcome.commits < options.commits) {
        await transact(client, random, world, members, options, outcome);
      }
    } finally {
      await client.end();
    }
  };
  await Promise.all(Array.from({ length: options.writers }, (_, index) => write(index)));
  return outcome;
}

async function transact(
  client: Client,
  random: Random,
  world: FeedWorld,
  members: readonly Member[],
  { longestPauseMs, touchesWhatItRenames = false }: WritersOptions,
  outcome: WritersOutcome,
): Promise<void> {
  const pause = (): Promise<void> => sleep(longestPauseMs * random() ** 3);
  const changes = changesOf(random, world, members);
  if (touchesWhatItRenames && changes[0]?.startsWith('UPDATE dealership')) {
    // One change: it is kept or undone whole. By one connection to each node, it is also seen whole there.
    changes[0] = `SET LOCAL citus.multi_shard_modify_mode TO 'sequential'; ${changes[0]};
      UPDATE price_check SET name_md5 = NULL WHERE dealership_id = '${world.renamed.id}'`;
  }
  const mayBeOld = random() < 0.1 && !changes.some((change) => change.includes('dealership SET'));
  try {
    await client.query(`BEGIN ISOLATION LEVEL ${mayBeOld ? 'REPEATABLE READ' : 'READ COMMITTED'}`);
    if (random() < 0.3) {
      await client.query('SELECT now()');
      await pause();
    }
    for (const change of changes) {
      const isUndone = random() < 0.05;
      if (isUndone) await client.query('SAVEPOINT undone');
      await client.query(change);
      if (isUndone) await client.query('ROLLBACK TO SAVEPOINT undone');
      if (random() < 0.5) await pause();
    }
    if (random() < 0.05) {
      await client.query('SET CONSTRAINTS ALL IMMEDIATE');
      await pause();
    }
    const isKept = random() >= 0.1;
    await client.query(isKept ? 'COMMIT' : 'ROLLBACK');
    outcome[isKept ? 'commits' : 'rollbacks'] += 1;
  } catch (error) {
    await client.query('ROLLBACK');
    const code = error instanceof DatabaseError ? error.code : undefined;
    if (code === undefined || !RETRYABLE.has(code)) throw error;
    outcome.refused += 1;
  }
}

/** The statements of one transaction: one buyer's requests in the order of their ids, or many buyers'. */
function changesOf(random: Random, world: FeedWorld, members: readonly Member[]): string[] {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  if (random() < 0.02) {
    return [
      `UPDATE dealership SET name = 'Quarry ${Math.floor(random() * 1e6)}' WHERE id = '${world.renamed.id}'`,
    ];
  }
  const first = pick(members);
  const others = members.filter((member) => member.buyerId === first.buyerId);
  const chosen = Array.from({ length: random() < 0.6 ? 0 : 1 + Math.floor(random() * 4) }, () =>
    pick(others),
  );
  return [first, ...chosen]
    .sort((a, b) => (a.priceCheckId < b.priceCheckId ? -1 : 1))
    .map((member) => changeOf(random, world, member));
}

function changeOf(
  random: Random,
  world: FeedWorld,
  { buyerId, priceCheckId, dealSetId }: Member,
): string {
  const value = 1 + Math.floor(random() * 1e9);
  const where = `buyer_id = '${buyerId}' AND id = '${priceCheckId}'`;
  const child = `'${buyerId}', '${randomUUID()}', '${priceCheckId}'`;
  const price = `UPDATE price_check SET answer = 'same_car', otd_cents = ${value}, written_at = now() WHERE ${where}`;
  const draw = random();
  if (draw < 0.4) return price;
  if (draw < 0.55) {
    return dealSetId === null
      ? price
      : `UPDATE deal_set SET dealers_found = ${value % 1000} WHERE buyer_id = '${buyerId}' AND id = '${dealSetId}'`;
  }
  if (draw < 0.65) {
    return `INSERT INTO question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
      VALUES (${child}, 'trade_in', 'Well?', 'text', now())`;
  }
  if (draw < 0.72)
    return `UPDATE question SET answered_at = now() WHERE buyer_id = '${buyerId}' AND price_check_id = '${priceCheckId}'`;
  if (draw < 0.8) {
    return `INSERT INTO draft (buyer_id, id, price_check_id, body, created_at) VALUES (${child}, 'Yes.', now())`;
  }
  if (draw < 0.9) {
    return `INSERT INTO reply (buyer_id, id, price_check_id, received_at) VALUES (${child}, now())`;
  }
  if (draw < 0.95) {
    // A time of its own: a distributed database refuses now() within CASE.
    const now = new Date().toISOString();
    return `UPDATE price_check SET archived_at = CASE WHEN archived_at IS NULL THEN timestamptz '${now}' END WHERE ${where}`;
  }
  return `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, otd_cents, unlocked_at)
    VALUES ('${buyerId}', '${randomUUID()}', '${world.shop.id}', now(), ${value}, now())`;
}
