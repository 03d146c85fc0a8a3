import { generateWorld } from '../world/world-generator.js';
import { WORLD_DEFAULTS } from '../world/world-options.js';
import { load } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

describe('an import of one buyer with a long history', () => {
  it('looks up the price check of each reply, instead of comparing it with all', async () => {
    const others = [...generateWorld({ ...WORLD_DEFAULTS, buyers: 100, seed: 'others' })];
    await load(database, others, { isBackfill: true });
    await database.query('ANALYZE');
    // The longest statement takes about a second. It took a minute when it compared all with all.
    await database.query(`ALTER DATABASE ${database.name} SET statement_timeout = '15s'`);
    const longHistory = { seed: 'one', buyers: 1, sets: 12, rows: 25, singles: 25, ended: 1_000 };
    const records = [...generateWorld(longHistory)];
    const summary = await load(database, records, { isBackfill: true, isDryRun: true });
    expect(summary.kinds.reply?.added).toBeGreaterThan(7_000);
  });
});
