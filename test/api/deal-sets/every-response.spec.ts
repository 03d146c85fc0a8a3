import { load, smallWorld } from '../../builders/index.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const { anna, session, getPath, records } = smallWorld();
const POLL = `${LIST}?since=1970-01-01T00:00:00Z`;

let service: TestService;
let assistant: Credential;
beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, records);
  assistant = await service.tokenFor(anna.id);
});
afterAll(() => service.stop());

describe('a call', () => {
  it('changes nothing in the database', async () => {
    const tables = await service.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'deal_sets'`,
    );
    // Row versions change with any write, whichever connection makes it.
    const versions = tables.map(
      ({ name }) => `SELECT '${name}' AS name, xmin::text, ctid::text FROM deal_sets."${name}"`,
    );
    const image = (): Promise<unknown[]> =>
      service.database.query(`${versions.join(' UNION ALL ')} ORDER BY name, ctid`);
    const before = await image();
    for (const credential of [session, assistant]) {
      for (const path of [LIST, POLL, getPath]) await service.get(path, credential);
    }
    for (const credential of [{ cookie: 'x'.repeat(30) }, { token: 'not.a.token' }, undefined])
      await service.get(LIST, credential);
    expect(await image()).toEqual(before);
  });

  it('never reuses a request id', async () => {
    const responses = await Promise.all([1, 2, 3].map(() => service.get(LIST, session)));
    expect(new Set(responses.map((response) => response.headers['service-request-id'])).size).toBe(
      3,
    );
  });

  it('returns 500 without the cause when the service fails', async () => {
    // A list reads the row of the request itself; a single read reads the deal set.
    const rename = async (from: string, to: string): Promise<void> => {
      for (const table of ['deal_set', 'request_feed'])
        await service.database.query(
          `ALTER TABLE deal_sets.${table} RENAME COLUMN ${from} TO ${to}`,
        );
    };
    await rename('car_model', 'car_model_gone');
    try {
      for (const path of [LIST, POLL, getPath]) {
        const response = await service.get(path, session);
        expect([response.status, response.code]).toEqual([500, 'internal']);
        expect(response.text).not.toMatch(/column|car_model|deal_set\b|SELECT|42703/);
      }
    } finally {
      await rename('car_model_gone', 'car_model');
    }
    expect((await service.get(getPath, session)).status).toBe(200);
  });
});
