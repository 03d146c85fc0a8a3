import { ndjson, smallWorld } from '../../builders/index.js';
import { runCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

describe('the built commands', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase({ isEmpty: true });
  });
  afterAll(() => database.drop());

  it('migrate an empty database and import a file from standard input', async () => {
    const env = { DATABASE_URL: database.url };
    expect(await runCommand(['migrate'], { env })).toMatchObject({ exitCode: 0 });
    const { records } = smallWorld();
    const outcome = await runCommand(['import', '-'], { env, input: ndjson(records) });
    expect(outcome).toMatchObject({ exitCode: 0 });
    const buyers = await database.query('SELECT id FROM deal_sets.buyer');
    expect(buyers).toHaveLength(records.filter(({ record }) => record === 'buyer').length);
  });
});
