import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { dealership, draft, insert, priceCheck, question } from '../../builders/index.js';
import { type Identity } from './cleaning-reference.js';
import { cleaningWorld, type Request } from './cleaning-world.js';

const world = cleaningWorld();
const { requestOf } = world;

const fremont: Identity = {
  name: 'Fremontauto',
  phone: '(510) 555-0100',
  email: 'sales@fremont-auto.example',
  website: 'https://www.fremontauto.example/inventory?x=1',
};

/** What is stored of a message; undefined is never: the words as they are when nothing is replaced. */
async function asked(text: string, ...identities: readonly Identity[]): Promise<string> {
  const { id } = await requestOf({ vin: 'KMHXX00XXXX' }, ...identities);
  const item = question({ priceCheckId: id, text });
  const note = draft({ priceCheckId: id, body: text });
  await insert(world.database, [item, note]);
  const [row] = await world.database.query<{ text: string; body: string }>(
    `SELECT coalesce(q.masked_text, q.text) AS text, coalesce(d.masked_body, d.body) AS body
     FROM question q, draft d WHERE q.id = $1 AND d.id = $2`,
    [item.id, note.id],
  );
  expect(row?.body).toBe(row?.text);
  return row?.text ?? '';
}

describe('the words of a message while its row is hidden', () => {
  it.each([
    [
      'This is Bob at Honda of Fremont, call +1 510 555 0100.',
      'This is Bob at •••, call •••.',
      { name: 'Honda of Fremont' },
    ],
    ['Fremontauto: hello', '•••: hello', fremont],
    ['hello\n\tFREMONTAUTO!\nbye', 'hello\n\t•••!\nbye', fremont],
    ['write to parts@fremont-auto.example today', 'write to ••• today', fremont],
    ['see https://elsewhere.example/x?y=1 (new)', 'see ••• (new)', fremont],
    ['at fremontauto.example, now', 'at •••, now', fremont],
    ['the VIN is 1HGCM82633A004352', 'the VIN is •••', fremont],
    ['lot KMHXX00XXXX, row 7', 'lot •••, row 7', fremont],
    ['call (415) 867 - 5309 or 415-867-5300', 'call ••• or •••', fremont],
    ['call 415\u0004867\u00045309 or 415 · 867 · 5300', 'call ••• or •••', fremont],
    ['we are Rimcrest™ Cars', 'we are •••', { name: 'Rimcrest Cars, L.L.C.' }],
    ['visitHondaOfFremontToday please', '••• please', { name: 'Honda of Fremont' }],
    ['we are Honda&nbsp;of&nbsp;Fremont', 'we are •••', { name: 'Honda of Fremont' }],
  ])('%j becomes %j', async (text, expected, identity) => {
    expect(await asked(text, identity)).toBe(expected);
  });

  it.each([
    'Would you like the red one? It is $34,500.',
    'The 2.0T/AWD and the R/T Scat Pack are here; 250 miles, 3 weeks.',
    'Honda makes it, in Fremont.',
  ])('%j stays', async (text) => {
    expect(await asked(text, fremont)).toBe(text);
  });

  it('are without a name on record of another dealership', async () => {
    await requestOf({}, { name: 'Gullwing Harbor Cars' });
    expect(await asked('not from Gullwing Harbor Cars then', fremont)).toBe('not from ••• then');
  });

  it('keep the beginning of a long draft, and a name across its end is replaced', async () => {
    const { id } = await requestOf({}, { name: 'Honda of Fremont' });
    const long = `${'word '.repeat(1_999)}from Honda of Fremont ${'more '.repeat(15_000)}`;
    const note = draft({ priceCheckId: id, body: long });
    await insert(world.database, [note]);
    const [row] = await world.database.query<{ body: string }>(
      'SELECT masked_body AS body FROM draft WHERE id = $1',
      [note.id],
    );
    expect(row?.body).toBe(`${'word '.repeat(1_999)}from `);
  });
});

describe('the masked words follow', () => {
  const text = 'Bob of Laterauto writes';
  const hidden = 'Bob of ••• writes';

  async function arrange(): Promise<Request & { shown: () => Promise<(string | null)[]> }> {
    const request = await requestOf({}, fremont, { name: 'Quarry' });
    const item = question({ priceCheckId: request.id, text });
    const note = draft({ priceCheckId: request.id, body: text });
    await insert(world.database, [item, note]);
    return {
      ...request,
      async shown() {
        const rows = await world.database.query<{ words: string | null }>(
          `SELECT masked_text AS words FROM question WHERE id = $1
           UNION ALL SELECT masked_body FROM draft WHERE id = $2`,
          [item.id, note.id],
        );
        return rows.map(({ words }) => words);
      },
    };
  }
  const rename = (id: string, name: string): Promise<unknown> =>
    world.database.query('UPDATE dealership SET name = $2 WHERE id = $1', [id, name]);

  it('a renaming, and the next', async () => {
    const { dealershipIds, shown } = await arrange();
    expect(await shown()).toEqual([null, null]);
    await rename(dealershipIds[1]!, 'Laterauto');
    expect(await shown()).toEqual([hidden, hidden]);
    await rename(dealershipIds[1]!, 'Quarry');
    expect(await shown()).toEqual([null, null]);
  });

  it('a dealership that joins and leaves', async () => {
    const { buyerId, setId, shown } = await arrange();
    const other = dealership({ name: 'Laterauto' });
    const row = priceCheck({ buyerId, dealSetId: setId, dealershipId: other.id });
    await insert(world.database, [other, row]);
    expect(await shown()).toEqual([hidden, hidden]);
    await world.database.query('DELETE FROM price_check WHERE id = $1', [row.id]);
    expect(await shown()).toEqual([null, null]);
  });

  it('the message itself, and no other', async () => {
    const { id } = await requestOf({}, fremont);
    const item = question({ priceCheckId: id, text: 'Hello' });
    await insert(world.database, [item]);
    const write = (assignment: string): Promise<{ masked_text: string | null }[]> =>
      world.database.query(
        `UPDATE question SET ${assignment} WHERE id = $1 RETURNING masked_text`,
        [item.id],
      );
    const stored = async (): Promise<unknown> =>
      (await world.database.query('SELECT masked_text FROM question WHERE id = $1', [item.id]))[0];
    await write(`text = 'I am Fremontauto'`);
    expect(await stored()).toEqual({ masked_text: 'I am •••' });
    await write(`masked_text = NULL`);
    expect(await stored()).toEqual({ masked_text: 'I am •••' });
    await write(`text = 'I am'`);
    expect(await stored()).toEqual({ masked_text: null });
  });

  it('a rebuild, which stamps exactly the requests in which something changed', async () => {
    const [changed, same] = [await arrange(), await arrange()];
    // As a row that is older than the column.
    await world.database.query('ALTER TABLE dealership DISABLE TRIGGER dealership_changed');
    await rename(changed.dealershipIds[1]!, 'Laterauto');
    await world.database.query('ALTER TABLE dealership ENABLE ALWAYS TRIGGER dealership_changed');
    expect(await changed.shown()).toEqual([null, null]);
    const stamps = async (): Promise<Record<string, unknown>[]> =>
      world.database.query(
        'SELECT request_id, feed_at::text AS at FROM request_feed WHERE request_id = ANY ($1)',
        [[changed.setId, same.setId]],
      );
    const before = new Map((await stamps()).map((row) => [row['request_id'], row['at']]));
    const clean = (): Promise<unknown> =>
      world.database.query('SELECT clean_listings($1, $2)', [
        [changed.buyerId, same.buyerId],
        [changed.setId, same.setId],
      ]);
    await clean();
    expect(await changed.shown()).toEqual([hidden, hidden]);
    const moved = async (): Promise<unknown[]> =>
      (await stamps())
        .filter((row) => before.get(row['request_id']) !== row['at'])
        .map((row) => row['request_id']);
    expect(await moved()).toEqual([changed.setId]);
  });

  it.each(['REPEATABLE READ', 'SERIALIZABLE'])(
    'a renaming, though the message’s writer has an older snapshot (%s): it fails',
    async (level) => {
      const { id, dealershipIds, buyerId } = await requestOf({}, fremont, { name: 'Quarry' });
      const client = new Client({ connectionString: world.database.url });
      await client.connect();
      await client.query(`BEGIN ISOLATION LEVEL ${level}`);
      await client.query('SELECT count(*) FROM buyer');
      await rename(dealershipIds[1]!, 'Laterauto');
      await expect(
        client.query(
          `INSERT INTO question (buyer_id, id, price_check_id, category, text, answer_mode, asked_at)
           VALUES ($1, $2, $3, 'other', $4, 'text', now())`,
          [buyerId, randomUUID(), id, text],
        ),
      ).rejects.toMatchObject({ code: '40001' });
      await client.end();
    },
  );
});

describe('the requested car carries a dealership’s name', () => {
  it('when a dealership of the request takes it, until it gives it back', async () => {
    const { setId, dealershipIds } = await requestOf({}, { name: 'Quarry' });
    const flag = async (): Promise<unknown> =>
      (
        await world.database.query('SELECT car_names_dealership AS f FROM deal_set WHERE id = $1', [
          setId,
        ])
      )[0];
    await world.database.query(
      `UPDATE deal_set SET car_model = 'CR-V by Laterauto', car_names_dealership = true WHERE id = $1`,
      [setId],
    );
    expect(await flag()).toEqual({ f: false });
    await world.database.query(`UPDATE dealership SET name = 'Laterauto' WHERE id = $1`, [
      dealershipIds[0],
    ]);
    expect(await flag()).toEqual({ f: true });
    await world.database.query(`UPDATE deal_set SET car_model = 'CR-V' WHERE id = $1`, [setId]);
    expect(await flag()).toEqual({ f: false });
  });
});
