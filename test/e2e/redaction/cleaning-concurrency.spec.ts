import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { dealership, dealSet, insert, priceCheck } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { cleaningWorld, plain } from './cleaning-world.js';

const world = cleaningWorld();
const { shownOf, requestOf } = world;

// Names of one word: they are compared with listings of their own requests alone.
describe('writers at the same time', () => {
  const rival = async (work: (client: Client) => Promise<void>): Promise<void> => {
    const client = new Client({ connectionString: world.database.url });
    await client.connect();
    try {
      await work(client);
    } finally {
      await client.end();
    }
  };
  /** Runs the first in a transaction, the second until it waits for it (or is done), then lets the first commit. */
  const meet = (first: string[], second: string[]): Promise<void> =>
    rival((one) =>
      rival(async (two) => {
        const { rows } = await two.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
        await one.query('BEGIN');
        for (const sql of first) await one.query(sql);
        let isDone = false;
        const running = (async () => {
          await two.query('BEGIN');
          for (const sql of second) await two.query(sql);
          await two.query('COMMIT');
        })().finally(() => (isDone = true));
        running.catch(() => undefined);
        await eventually(async () => {
          const [waiting] = await world.database.query<{ n: number }>(
            `SELECT cardinality(pg_blocking_pids($1)) AS n`,
            [rows[0]?.pid],
          );
          expect(isDone || (waiting?.n ?? 0) > 0).toBe(true);
        });
        await one.query('COMMIT');
        await running;
      }),
    );
  const insertOf = (
    buyerId: string,
    setId: string | null,
    dealershipId: string,
    id: string,
    trim: string,
  ): string =>
    `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at, listing_trim)
     VALUES ('${buyerId}', '${id}', ${setId === null ? 'NULL' : `'${setId}'`}, '${dealershipId}', now(), '${trim}')`;
  const rename = (id: string): string =>
    `UPDATE dealership SET name = 'Fremontauto' WHERE id = '${id}'`;
  const told = 'EX by Fremontauto';

  it.each([true, false])(
    'a renaming and a new member of the dealership (renaming first: %s)',
    async (isFirst) => {
      const { buyerId, setId, dealershipIds } = await requestOf({}, plain, { name: 'Quarry' });
      const id = randomUUID();
      const insert = insertOf(buyerId, setId, dealershipIds[1]!, id, told);
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [insert]) : meet([insert], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a new member of another dealership (renaming first: %s)',
    async (isFirst) => {
      const { buyerId, setId, dealershipIds } = await requestOf({}, plain, { name: 'Quarry' });
      const id = randomUUID();
      const insert = insertOf(buyerId, setId, dealershipIds[0]!, id, told);
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [insert]) : meet([insert], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a listing that is rewritten (renaming first: %s)',
    async (isFirst) => {
      const { id, dealershipIds } = await requestOf({ trim: 'EX' }, plain, { name: 'Quarry' });
      const write = `UPDATE price_check SET listing_trim = '${told}' WHERE id = '${id}'`;
      const renaming = rename(dealershipIds[1]!);
      await (isFirst ? meet([renaming], [write]) : meet([write], [renaming]));
      expect((await shownOf(id)).trim).toBeNull();
    },
  );

  it.each([true, false])(
    'a renaming and a member that moves to another deal set (renaming first: %s)',
    async (isFirst) => {
      const from = await requestOf({}, plain, { name: 'Quarry' });
      const to = dealSet({ buyerId: from.buyerId });
      const other = dealership({ name: 'Third Party' });
      const teller = priceCheck({
        buyerId: from.buyerId,
        dealSetId: to.id,
        dealershipId: other.id,
        listing: { trim: told },
      });
      await insert(world.database, [to, other, teller]);
      const move = `UPDATE price_check SET deal_set_id = '${to.id}' WHERE deal_set_id = '${from.setId}' AND dealership_id = '${from.dealershipIds[1]!}'`;
      const renaming = rename(from.dealershipIds[1]!);
      await (isFirst ? meet([renaming], [move]) : meet([move], [renaming]));
      expect((await shownOf(teller.id)).trim).toBeNull();
    },
  );

  it('two new members of one deal set, each with the other’s name', async () => {
    const { buyerId, setId } = await requestOf({}, plain);
    const [one, two] = [dealership({ name: 'Fremontauto' }), dealership({ name: 'Dublinauto' })];
    await insert(world.database, [one, two]);
    const [first, second] = [randomUUID(), randomUUID()];
    await meet(
      [insertOf(buyerId, setId, one.id, first, 'EX, better than Dublinauto')],
      [insertOf(buyerId, setId, two.id, second, 'EX, better than Fremontauto')],
    );
    expect([(await shownOf(first)).trim, (await shownOf(second)).trim]).toEqual([null, null]);
  });

  it('two dealerships of one deal set that take names at once', async () => {
    const { id, dealershipIds } = await requestOf(
      { model: 'Dublinauto', trim: told },
      plain,
      { name: 'Quarry' },
      { name: 'Pit' },
    );
    await meet(
      [rename(dealershipIds[1]!)],
      [`UPDATE dealership SET name = 'Dublinauto' WHERE id = '${dealershipIds[2]!}'`],
    );
    expect(await shownOf(id)).toMatchObject({ model: null, trim: null });
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'a writer with an old snapshot (%s) is refused',
    async (level) => {
      const { id, dealershipIds } = await requestOf({ trim: 'EX' }, plain);
      await rival(async (client) => {
        for (const sql of [
          rename(dealershipIds[0]!),
          `UPDATE price_check SET listing_trim = 'LX' WHERE id = '${id}'`,
        ]) {
          await client.query(`BEGIN ISOLATION LEVEL ${level}`);
          await expect(client.query(sql)).rejects.toMatchObject({ code: '25000' });
          await client.query('ROLLBACK');
        }
      });
    },
  );
});
