import { load, smallWorld } from '../../builders/index.js';
import { call, cookie, LIST } from '../../setup/http-call.js';
import { startProcess } from '../../setup/start-process.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

describe('the built service', () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  it('starts, answers, and ends in order', async () => {
    const { records, session } = smallWorld();
    await load(database, records);
    const service = await startProcess({ DATABASE_URL: database.url });
    const { status } = await call(service.port, LIST, cookie(session.cookie)).catch(() => ({
      status: 0,
    }));
    expect([status, await service.stop()]).toEqual([200, 0]);
    expect(service.output()).toContain('"msg":"stopped"');
  });
});
