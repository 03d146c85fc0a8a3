import type { PostgresReadDatabase } from '../../src/database/postgres-read-database.js';
import { PostgresDealSetReader } from '../../src/deal-sets/reader/postgres-deal-set-reader.js';
import { dealSetReaderContract } from '../../src/testing/deal-set-reader.contract.js';
import { sampleWorld } from '../../src/testing/sample-world.js';
import { load } from '../builders/index.js';
import { readsOn } from '../setup/reads-on.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { runContract } from './run-contract.js';

describe('the reader on PostgreSQL', () => {
  const world = sampleWorld();
  let database: TestDatabase;
  let reads: PostgresReadDatabase;
  let reader: PostgresDealSetReader;

  beforeAll(async () => {
    database = await createTestDatabase();
    await load(database, world.records);
    reads = readsOn(database.url);
    reader = new PostgresDealSetReader(reads);
  });
  afterAll(async () => {
    await reads.close();
    await database.drop();
  });

  runContract(dealSetReaderContract({ reader: () => reader, world: () => world }));
});
