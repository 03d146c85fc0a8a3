import type { PostgresReadDatabase } from '../../src/database/postgres-read-database.js';
import { PostgresDealSetQueries } from '../../src/deal-sets/queries/postgres-deal-set-queries.js';
import { dealSetQueriesContract } from '../../src/testing/deal-set-queries.contract.js';
import { sampleWorld } from '../../src/testing/sample-world.js';
import { load } from '../builders/index.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { onLockedTable } from './on-locked-table.js';
import { runContract } from './run-contract.js';

describe('the queries on PostgreSQL', () => {
  const world = sampleWorld();
  let database: TestDatabase;
  let reads: PostgresReadDatabase;
  let queries: PostgresDealSetQueries;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    reads = readsOn(database.url);
    queries = new PostgresDealSetQueries(reads);
  });
  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  runContract(
    dealSetQueriesContract({
      queries: () => queries,
      world: () => world,
      hung: () => onLockedTable(database, 'deal_set', queries),
    }),
  );
});
