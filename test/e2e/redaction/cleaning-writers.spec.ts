import { randomUUID } from 'node:crypto';
import { buyer, dealership, load, priceCheck } from '../../builders/index.js';
import type { Identity } from './cleaning-reference.js';
import { cleaningWorld, plain } from './cleaning-world.js';

const world = cleaningWorld();
const { shownOf, requestOf } = world;

// Names of one word: they are compared with listings of their own requests alone.
const fremont: Identity = {
  name: 'Fremontauto',
  phone: '(510) 555-0100',
  email: 'sales@fremont-honda.example',
  website: 'https://www.fremonthonda.example/inventory?x=1',
};

describe('every writer', () => {
  const tell = { trim: 'EX by Fremontauto' };

  it('an update of the listing is cleaned, and what was hidden comes back when it is honest again', async () => {
    const { id } = await requestOf({ trim: 'EX' }, fremont);
    await world.database.query('UPDATE price_check SET listing_trim = $2 WHERE id = $1', [
      id,
      tell.trim,
    ]);
    expect((await shownOf(id)).trim).toBeNull();
    await world.database.query(`UPDATE price_check SET listing_trim = 'LX' WHERE id = $1`, [id]);
    expect((await shownOf(id)).trim).toBe('LX');
  });

  it('cannot write what is shown', async () => {
    const { id } = await requestOf(tell, fremont);
    await world.database.query(
      `UPDATE price_check SET shown_trim = listing_trim, shown_make = 'x', shown_verified_partner = true WHERE id = $1`,
      [id],
    );
    expect(await shownOf(id)).toMatchObject({ trim: null, make: null });
    const copy = randomUUID();
    await world.database.query(
      `INSERT INTO price_check (buyer_id, id, dealership_id, requested_at, listing_trim, shown_trim, shown_model)
       SELECT buyer_id, $2, dealership_id, now(), listing_trim, listing_trim, listing_trim FROM price_check WHERE id = $1`,
      [id, copy],
    );
    expect(await shownOf(copy)).toMatchObject({ trim: null, model: null });
  });

  it.each<[string, string]>([
    ['name', `name = 'Fremontauto'`],
    ['phone', `phone = '555 0100'`],
    ['e-mail address', `email = 'sales@lake.example'`],
    ['website', `website = 'https://lake.example'`],
  ])(
    'a dealership that takes another %s later hides what carries it, and gives it back',
    async (_what, change) => {
      const { id, dealershipIds } = await requestOf(
        {
          make: 'Honda',
          trim: 'EX by Fremontauto, 555.0100, sales lake.example, lake.example',
        },
        plain,
        { name: 'Quarry Zebra' },
      );
      expect((await shownOf(id)).trim).not.toBeNull();
      await world.database.query(`UPDATE dealership SET ${change} WHERE id = $1`, [
        dealershipIds[1],
      ]);
      expect(await shownOf(id)).toMatchObject({ trim: null, make: 'Honda' });
      await world.database.query(
        `UPDATE dealership SET name = 'Quarry Zebra', phone = NULL, email = NULL, website = NULL WHERE id = $1`,
        [dealershipIds[1]],
      );
      expect((await shownOf(id)).trim).not.toBeNull();
    },
  );

  it('cannot bypass a dealership’s keys by writing them', async () => {
    const { id, dealershipIds } = await requestOf(tell, fremont);
    await world.database.query(
      `UPDATE dealership SET whole_keys = '{}', loose_keys = '{}' WHERE id = $1`,
      [dealershipIds[0]],
    );
    await world.database.query(`UPDATE price_check SET listing_model = 'Civic' WHERE id = $1`, [
      id,
    ]);
    expect(await shownOf(id)).toMatchObject({ trim: null, model: 'Civic' });
  });

  it('a dealership that joins, leaves, or is exchanged for another settles all listings of the set', async () => {
    const { id, buyerId, setId } = await requestOf(tell, plain);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    const other = dealership({ ...fremont });
    const row = priceCheck({ buyerId, dealSetId: setId, dealershipId: other.id, listing: {} });
    await load(world.database, [other, row]);
    expect((await shownOf(id)).trim).toBeNull();
    await world.database.query('UPDATE price_check SET deal_set_id = NULL WHERE id = $1', [row.id]);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    await world.database.query('UPDATE price_check SET deal_set_id = $2 WHERE id = $1', [
      row.id,
      setId,
    ]);
    expect((await shownOf(id)).trim).toBeNull();
    await world.database.query('DELETE FROM price_check WHERE id = $1', [row.id]);
    expect((await shownOf(id)).trim).toBe(tell.trim);
    await world.database.query('UPDATE price_check SET dealership_id = $2 WHERE id = $1', [
      id,
      other.id,
    ]);
    expect((await shownOf(id)).trim).toBeNull();
  });

  it('a member of another request does not affect this one', async () => {
    const anna = buyer();
    const [honda, zebra] = [dealership({ ...fremont }), dealership({ ...plain })];
    const single = priceCheck({ buyerId: anna.id, dealershipId: zebra.id, listing: tell });
    const other = priceCheck({ buyerId: anna.id, dealershipId: honda.id, listing: {} });
    await load(world.database, [anna, honda, zebra, single, other]);
    expect((await shownOf(single.id)).trim).toBe(tell.trim);
  });
});
