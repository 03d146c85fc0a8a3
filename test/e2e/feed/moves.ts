import { randomUUID } from 'node:crypto';

/** The requests of a buyer on which the changes below are made, by their ids. */
export interface Requests {
  readonly set: string;
  readonly otherSet: string;
  readonly row: string;
  readonly hiddenRow: string;
  readonly single: string;
  readonly shop: string;
  readonly hiddenShop: string;
}

const ofRow = (table: string, id: string, columns: string, values: string): string =>
  `INSERT INTO ${table} (buyer_id, id, price_check_id, ${columns})
   SELECT buyer_id, '${randomUUID()}', id, ${values} FROM price_check WHERE id = '${id}'`;
const question = (id: string): string =>
  ofRow(
    'question',
    id,
    'category, text, answer_mode, asked_at',
    `'trade_in', 'Well?', 'text', now()`,
  );
const draft = (id: string): string => ofRow('draft', id, 'body, created_at', `'Thank you.', now()`);
const reply = (id: string): string => ofRow('reply', id, 'received_at', 'now()');
const update = (id: string, change: string): string =>
  `UPDATE price_check SET ${change} WHERE id = '${id}'`;

/** A change by plain SQL, the requests it moves, and what is made before, if anything. */
export type Change = readonly [
  what: string,
  sql: (r: Requests) => string,
  moved: (r: Requests) => readonly string[],
  before?: (r: Requests) => string,
];

const ofSet = (r: Requests): string[] => [r.set];
const ofSingle = (r: Requests): string[] => [r.single];

/** Every kind of change to what the service shows of a request. */
export const MOVES: readonly Change[] = [
  ['a price', (r) => update(r.row, 'otd_cents = 77'), ofSet],
  ['a price of a single', (r) => update(r.single, 'otd_cents = 77, written_at = now()'), ofSingle],
  ['a selling price', (r) => update(r.row, 'selling_price_cents = 5'), ofSet],
  ['a price no longer in writing', (r) => update(r.row, 'written_at = NULL'), ofSet],
  ['an answer for another car', (r) => update(r.row, `answer = 'different_car'`), ofSet],
  ['an offer sent', (r) => update(r.single, 'finished_at = now()'), ofSingle],
  ['unlocking', (r) => update(r.hiddenRow, 'unlocked_at = now()'), ofSet],
  ['choosing', (r) => update(r.row, 'chosen_at = now()'), ofSet],
  ['archiving', (r) => update(r.row, 'archived_at = now()'), ofSet],
  ['archiving a single', (r) => update(r.single, 'archived_at = now()'), ofSingle],
  ['an ending', (r) => update(r.row, `ended = 'sold', ended_at = now()`), ofSet],
  ['a distance', (r) => update(r.row, 'distance_miles = 3'), ofSet],
  ['a listing', (r) => update(r.row, `listing_trim = 'Touring'`), ofSet],
  ['a listed price', (r) => update(r.single, 'listing_listed_at_cents = 5'), ofSingle],
  ['another dealership', (r) => update(r.row, `dealership_id = '${r.hiddenShop}'`), ofSet],
  [
    'the end of a deal set',
    (r) => `UPDATE deal_set SET ended_at = now() WHERE id = '${r.set}'`,
    ofSet,
  ],
  ['another car', (r) => `UPDATE deal_set SET car_trim = 'LX' WHERE id = '${r.set}'`, ofSet],
  ['a wider search', (r) => `UPDATE deal_set SET radius_miles = 250 WHERE id = '${r.set}'`, ofSet],
  [
    'dealerships found',
    (r) => `UPDATE deal_set SET dealers_found = 9 WHERE id = '${r.set}'`,
    ofSet,
  ],
  ['a reply', (r) => reply(r.row), ofSet],
  ['a reply on a single', (r) => reply(r.single), ofSingle],
  ['a question', (r) => question(r.row), ofSet],
  [
    'an answered question',
    () => 'UPDATE question SET answered_at = now()',
    ofSet,
    (r) => question(r.row),
  ],
  ['a question taken back', () => 'DELETE FROM question', ofSingle, (r) => question(r.single)],
  [
    'a question put to another row',
    (r) => `UPDATE question SET price_check_id = '${r.single}'`,
    (r) => [r.set, r.single],
    (r) => question(r.row),
  ],
  ['a draft', (r) => draft(r.single), ofSingle],
  ['a reworded draft', () => `UPDATE draft SET body = 'No.'`, ofSet, (r) => draft(r.row)],
  ['a resolved draft', () => 'UPDATE draft SET resolved_at = now()', ofSet, (r) => draft(r.row)],
  [
    'a member added',
    (r) => `INSERT INTO price_check (buyer_id, id, deal_set_id, dealership_id, requested_at)
      SELECT buyer_id, '${randomUUID()}', id, '${r.shop}', now() FROM deal_set WHERE id = '${r.set}'`,
    ofSet,
  ],
  ['a member removed', (r) => `DELETE FROM price_check WHERE id = '${r.row}'`, ofSet],
  [
    'a member moved to another deal set',
    (r) => update(r.row, `deal_set_id = '${r.otherSet}'`),
    (r) => [r.set, r.otherSet],
  ],
  [
    'a member with its thread moved to another deal set',
    (r) => update(r.row, `deal_set_id = '${r.otherSet}'`),
    (r) => [r.set, r.otherSet],
    (r) => `${question(r.row)}; ${reply(r.row)}`,
  ],
  [
    'a member that becomes a single',
    (r) => update(r.row, 'deal_set_id = NULL'),
    (r) => [r.set, r.row],
    (r) => `${question(r.row)}; ${reply(r.row)}`,
  ],
  [
    'a single that becomes a member',
    (r) => update(r.single, `deal_set_id = '${r.set}'`),
    ofSet,
    (r) => `${question(r.single)}; ${draft(r.single)}`,
  ],
  [
    'a name, where the buyer sees it',
    (r) => `UPDATE dealership SET name = 'Fell Motors' WHERE id = '${r.shop}'`,
    (r) => [r.set, r.single],
  ],
  [
    'a partner status, in any place',
    (r) => `UPDATE dealership SET verified_partner = true WHERE id = '${r.hiddenShop}'`,
    ofSet,
  ],
  [
    'a name that is found in a listing',
    (r) => `UPDATE dealership SET name = 'Kestrel' WHERE id = '${r.hiddenShop}'`,
    ofSet,
  ],
  [
    'a MERGE',
    (r) => `MERGE INTO price_check p USING (SELECT '${r.row}'::uuid AS id) s ON p.id = s.id
      WHEN MATCHED THEN UPDATE SET otd_cents = 31`,
    ofSet,
  ],
  [
    'an INSERT that meets its row',
    (r) => `INSERT INTO deal_set (buyer_id, id, car_year, car_make, car_model, created_at)
      SELECT buyer_id, id, car_year, car_make, 'Pilot', created_at FROM deal_set WHERE id = '${r.set}'
      ON CONFLICT (buyer_id, id) DO UPDATE SET car_model = excluded.car_model`,
    ofSet,
  ],
];

/** Changes that it does not show. */
export const STILL: readonly Change[] = [
  ['an update to the same values', (r) => update(r.row, 'otd_cents = otd_cents'), () => []],
  [
    'a name that is not shown',
    (r) => `UPDATE dealership SET name = 'Fell Motors' WHERE id = '${r.hiddenShop}'`,
    () => [],
  ],
  [
    'a partner status unknown that becomes known as none',
    (r) => `UPDATE dealership SET verified_partner = false WHERE id = '${r.shop}'`,
    () => [],
  ],
  ['a session that ends', () => 'UPDATE buyer_session SET revoked_at = NULL', () => []],
];
