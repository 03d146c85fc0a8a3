import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import type { DealSetResult } from '../../../src/deal-sets/dto/deal-set-result.js';
import type { ListEntry } from '../../../src/deal-sets/dto/list-entry.js';
import {
  buyer,
  dealership,
  dealSet,
  grant,
  insert,
  load,
  priceCheck,
  question,
  signIn,
} from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { untilLockWaits } from '../../setup/lock-waits.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const UUID = '12345678-1234-4123-8123-123456789012';

/** `promptId`, `category` and `answerMode` reach assistants unchanged. */
describe('a token of a question', () => {
  let database: TestDatabase;
  const anna = buyer();

  beforeAll(async () => {
    database = await createTestDatabase();
    await insert(database, [anna]);
  });
  afterAll(() => database.drop());

  async function isShown(token: string, name: string): Promise<boolean> {
    const [row] = await database.query<{ is: boolean }>(
      'SELECT deal_sets.is_token_shown($1, deal_sets.name_keys($2)) AS is',
      [token, name],
    );
    return row!.is;
  }

  it.each([
    ['Lakeside_Motors', 'Lakeside Motors'],
    ['ask:lakeside-motors.v2', 'Lakeside Motors, LLC'],
    ['lakesidemotors', 'Lakeside Motors Co., Inc.'],
    ['obrien-and-sons', 'O’Brien & Sons'],
    ['BOB', 'Bob'],
    ['ford_trade', 'Ford'],
    ['510-555-0100', 'Lakeside Motors'],
    ['555-0100', 'Lakeside Motors'],
    ['call.5105550100', 'Lakeside Motors'],
    ['lakeside.com', 'Kestrel'],
    ['www.x', 'Kestrel'],
    [`${UUID}-555-0100`, 'Kestrel'],
    ['lake.comCall', 'Kestrel'],
    ['fremont_motors', 'Fremont Motors - Sales'],
    ['kite-1', 'Lake Holdings dba Kite'],
    ['ask.wlodek-sorensen', 'Włodek Sørensen'],
  ])('may not be shown: %s, of %s', async (token, name) => {
    expect(await isShown(token, name)).toBe(false);
  });

  it.each([
    ['trade_in', 'Lakeside Motors'],
    ['bobcat', 'Bob'],
    ['motors-lakeside', 'Lakeside Motors'],
    ['prompt-12345', 'Lakeside Motors'],
    ['v2.1', 'Lakeside Motors'],
    ['other', 'Other'],
    [UUID, 'Lakeside Motors'],
    [`prompt:${UUID.toUpperCase()}`, 'Lakeside Motors'],
    [`${UUID}_2`, 'Lakeside Motors'],
    ['lakesidecars.auto', 'Kestrel'],
    ['HD_10360', 'Kestrel'],
    ['lakes', 'Lakes - Sales'],
  ])('may be shown: %s, of %s', async (token, name) => {
    expect(await isShown(token, name)).toBe(true);
  });

  /** A row of a deal set, at its own dealership. */
  async function oneRow(name: string) {
    const shop = dealership({ name });
    const set = dealSet({ buyerId: anna.id });
    const row = priceCheck({
      buyerId: anna.id,
      dealershipId: shop.id,
      dealSetId: set.id,
      listing: {},
    });
    await insert(database, [shop, set, row]);
    return { shop, set, row };
  }
  const tokensOf = async (id: string): Promise<unknown> =>
    (
      await database.query(
        'SELECT prompt_id AS "promptId", category, answer_mode AS "answerMode" FROM deal_sets.question WHERE id = $1',
        [id],
      )
    )[0];

  it.each([
    ['prompt_id', { promptId: 'lakesidemotors.com' }],
    ['category', { category: 'Lakeside_Motors' }],
    ['category', { category: '1_trade' }],
    ['answer_mode', { answerMode: '510-555-0100' }],
  ])('is rejected by the database: %s of %j', async (column, tokens) => {
    const { row } = await oneRow('Lakeside Motors');
    const stored = question({ priceCheckId: row.id, ...tokens });
    const [token] = Object.values(tokens);
    const message = `${column} "${token!}" of a question to dealership "Lakeside Motors" may not be shown`;
    const add = insert(database, [stored]);
    await expect(add).rejects.toMatchObject({ code: '23514', message });
    const sound = question({ priceCheckId: row.id });
    await insert(database, [sound]);
    const change = database.query(`UPDATE deal_sets.question SET ${column} = $1 WHERE id = $2`, [
      token,
      sound.id,
    ]);
    await expect(change).rejects.toMatchObject({ code: '23514', message });
  });

  it('is a broken reference without a price check, even after other questions on the connection', async () => {
    const { row } = await oneRow('Kestrel');
    // The first questions make the trigger's plan on this connection.
    await database.query('BEGIN');
    for (let index = 0; index < 7; index += 1) {
      await insert(database, [question({ priceCheckId: row.id })]);
    }
    const orphan = database.query(
      `INSERT INTO deal_sets.question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
       VALUES ($1, $2, $3, 'trade_in', 'Which car?', 'text', now())`,
      [anna.id, randomUUID(), randomUUID()],
    );
    // Its request is missing too, which PostgreSQL reports first.
    await expect(orphan).rejects.toMatchObject({ code: '23502' });
    await database.query('ROLLBACK');
  });

  it('is replaced when its dealership takes a name that the token contains, and only then', async () => {
    const { shop, row } = await oneRow('Kestrel');
    const stored = question({
      priceCheckId: row.id,
      promptId: 'quarry-1',
      category: 'quarry_trade',
      answerMode: 'text',
    });
    await insert(database, [stored]);
    await database.query(`UPDATE deal_sets.dealership SET name = 'Pit' WHERE id = $1`, [shop.id]);
    expect(await tokensOf(stored.id)).toMatchObject({ promptId: 'quarry-1' });
    await database.query(`UPDATE deal_sets.dealership SET name = 'Quarry, Inc.' WHERE id = $1`, [
      shop.id,
    ]);
    const replaced = { promptId: null, category: 'other', answerMode: 'text' };
    expect(await tokensOf(stored.id)).toEqual(replaced);
    await database.query('UPDATE deal_sets.question SET answered_at = now() WHERE id = $1', [
      stored.id,
    ]);
    expect(await tokensOf(stored.id)).toEqual(replaced);
  });

  it('is replaced when its row gets a dealership that the token names, or moves to such a row', async () => {
    const [kestrel, quarry] = [await oneRow('Kestrel'), await oneRow('Quarry')];
    const tokens = { promptId: 'quarry-1', answerMode: 'quarry' };
    const [first, second] = [1, 2].map(() => question({ priceCheckId: kestrel.row.id, ...tokens }));
    await insert(database, [first!, second!]);
    const replaced = { promptId: null, category: 'trade_in', answerMode: 'other' };
    await database.query('UPDATE deal_sets.question SET price_check_id = $1 WHERE id = $2', [
      quarry.row.id,
      first!.id,
    ]);
    expect(await tokensOf(first!.id)).toEqual(replaced);
    expect(await tokensOf(second!.id)).toMatchObject({ promptId: 'quarry-1' });
    await database.query('UPDATE deal_sets.price_check SET dealership_id = $1 WHERE id = $2', [
      quarry.shop.id,
      kestrel.row.id,
    ]);
    expect(await tokensOf(second!.id)).toEqual(replaced);
  });

  it.each([
    ['that another transaction adds meanwhile', 'adding'],
    ['that is added while the renaming is still open', 'renaming'],
  ])('is compared with the new name in a question %s', async (_which, begunFirst) => {
    const { shop, row } = await oneRow('Kestrel');
    const id = randomUUID();
    interface Connection {
      query(text: string, values?: unknown[]): Promise<unknown>;
    }
    const add = (on: Connection): Promise<unknown> =>
      on.query(
        `INSERT INTO deal_sets.question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
         VALUES ($1, $2, $3, 'quarry', '', 'text', now())`,
        [anna.id, id, row.id],
      );
    const rename = (on: Connection): Promise<unknown> =>
      on.query(`UPDATE deal_sets.dealership SET name = 'Quarry' WHERE id = $1`, [shop.id]);
    const [first, second] = begunFirst === 'adding' ? [add, rename] : [rename, add];
    const client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query('BEGIN');
    await first(client);
    const waiting = second(database).catch((error: unknown) => error);
    await untilLockWaits(database);
    await client.query('COMMIT');
    const outcome = await waiting;
    await client.end();
    if (begunFirst === 'adding') expect(await tokensOf(id)).toMatchObject({ category: 'other' });
    else expect(outcome).toMatchObject({ code: '23514' });
  });
});

describe('a response with a question whose token was replaced after a renaming', () => {
  it('is the same for both principals, and moves no request', async () => {
    const service = await TestService.start();
    try {
      const anna = buyer();
      const { record, cookie } = signIn(anna.id);
      const shop = dealership({ name: 'Kestrel' });
      const set = dealSet({ buyerId: anna.id });
      const row = priceCheck({ buyerId: anna.id, dealershipId: shop.id, dealSetId: set.id });
      const tokens = { promptId: 'quarry-1', category: 'quarry_trade', answerMode: 'quarry' };
      const stored = question({ priceCheckId: row.id, ...tokens });
      const records = [anna, record, grant({ buyerId: anna.id }), shop, set, row, stored];
      await load(service.database, records);
      const assistant = await service.tokenFor(anna.id);
      const shown = async (): Promise<unknown[]> =>
        Promise.all(
          [{ cookie }, assistant].map(async (credential) => {
            const { body } = await service.get<{ data: DealSetResult }>(
              `${LIST}/${set.id}`,
              credential,
            );
            return body.data.needsYou[0];
          }),
        );
      for (const item of await shown()) expect(item).toMatchObject(tokens);
      const stamp = async (): Promise<unknown> => {
        const { body } = await service.get<{ data: ListEntry[] }>(LIST, assistant);
        return body.data[0]?.latestActivityAt;
      };
      const before = await stamp();
      await service.database.query(
        `UPDATE deal_sets.dealership SET name = 'Quarry' WHERE id = $1`,
        [shop.id],
      );
      const replaced = { promptId: null, category: 'other', answerMode: 'other' };
      for (const item of await shown()) expect(item).toMatchObject(replaced);
      expect(await stamp()).toBe(before);
    } finally {
      await service.stop();
    }
  });
});
