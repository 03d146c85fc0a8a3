import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database.js';
import { DEMO_BUYER_ID } from '../src/demo-world/demo-people.js';
import { DemoWorld } from '../src/open-demo.js';

let database: TestDatabase;
beforeEach(async () => {
  database = await createTestDatabase({ isEmpty: true });
});
afterEach(() => database.drop());

/** Opens the demo world and returns the steps that it reported. */
async function open(): Promise<readonly string[]> {
  const steps: string[] = [];
  await DemoWorld.open(database.url, (step) => steps.push(step));
  return steps;
}

it('makes the tables of an earlier version again, says so, and loads the demo world', async () => {
  await database.query('CREATE TABLE public.schema_code ()');
  expect(await open()).toEqual([
    'The database in .data belongs to an earlier version: making it again…',
  ]);
  const [stored] = await database.query<{ priceChecks: number; isThere: boolean }>(
    `SELECT count(*)::integer AS "priceChecks", to_regclass('public.schema_code') IS NOT NULL AS "isThere"
     FROM deal_sets.price_check WHERE buyer_id = $1`,
    [DEMO_BUYER_ID],
  );
  expect(stored?.isThere).toBe(false);
  expect(stored?.priceChecks).toBeGreaterThan(10);
});

it('keeps the tables of this version, with the records in them', async () => {
  const id = 'b0000000-0000-4000-8000-00000000000f';
  await open();
  await database.query('INSERT INTO deal_sets.buyer (id) VALUES ($1)', [id]);
  expect(await open()).toEqual([]);
  expect(await database.query('SELECT FROM deal_sets.buyer WHERE id = $1', [id])).toHaveLength(1);
});
