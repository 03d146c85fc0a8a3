import { buyer, load, priceCheck, signIn, smallWorld } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';

const { anna, set, row, session, getPath, records } = smallWorld();
const single = priceCheck({ buyerId: anna.id, dealershipId: row.dealershipId });
const ben = buyer();
const benSession = signIn(ben.id);
const POLL = `${LIST}?since=1970-01-01T00:00:00Z`;

let service: TestService;
let assistant: Credential;
beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, [...records, single, ben, benSession.record]);
  assistant = await service.tokenFor(anna.id);
});
afterAll(() => service.stop());

async function notFound(id: string, credential: Credential = session): Promise<string> {
  const { status, headers, text } = await service.send('GET', `${LIST}/${id}`, credential);
  expect([status, headers['www-authenticate']]).toEqual([404, undefined]);
  return text;
}

describe('a resource that is not the caller’s', () => {
  it('is not found, with the same bytes for another buyer’s, an unknown id and a price check', async () => {
    const unknown = await notFound('00000000-0000-4000-8000-000000000000');
    expect(await notFound(set.id, { cookie: benSession.cookie })).toBe(unknown);
    expect(await notFound(single.id)).toBe(unknown);
    expect(await notFound(row.id)).toBe(unknown);
    expect(JSON.parse(unknown)).toMatchObject({ error: { code: 'not_found' } });
  });

  it.each([
    ['a text that is not a UUID', 'abc'],
    ['a UUID in braces', '%7B00000000-0000-4000-8000-000000000000%7D'],
    ['a UUID without hyphens', '00000000000040008000000000000000'],
    ['a UUID with a blank', '%2000000000-0000-4000-8000-000000000000'],
    ['a UUID with a further character', '00000000-0000-4000-8000-000000000000x'],
    ['a NUL', '%00'],
    ['an encoded slash', 'a%2Fb'],
    ['SQL', "'%20OR%201=1--"],
  ])('is not found for %s', async (_what, id) => {
    await notFound(id);
    expect((await service.send('GET', `${LIST}/${id}`, undefined)).status).toBe(401);
  });

  it('is found by the upper-case form of its id, and returns the id in lower case', async () => {
    const { body } = await service.get(`${LIST}/${set.id.toUpperCase()}`, session);
    expect(body).toMatchObject({ data: { dealSetId: set.id } });
  });

  it('is found by any UUID that it was stored with, with or without a version', async () => {
    const plain = { ...set, id: '11111111-1111-1111-1111-111111111111' };
    await load(service.database, [plain]);
    expect((await service.get(`${LIST}/${plain.id}`, session)).status).toBe(200);
  });
});

describeStandalone('a path or method that a host application decides for itself', () => {
  it.each([
    ['broken percent-encoding', '%FF'],
    ['half an escape', '%'],
    ['a very long text', 'a'.repeat(4000)],
    ['a lone surrogate', '%ED%A0%80'],
  ])('is not found for an id that is %s', async (_what, id) => {
    await notFound(id);
    expect((await service.send('GET', `${LIST}/${id}`, undefined)).status).toBe(401);
  });

  it.each([
    ['GET', `${LIST}/`],
    ['GET', `${getPath}/`],
    ['GET', '/api/v1/Deal-Sets'],
    ['GET', `${getPath}/rows`],
    ['GET', '/'],
    ['GET', '/api/v1'],
    ['GET', `/api/v1/deal-sets%2F${set.id}`],
    ...['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'].flatMap((method) => [
      [method, LIST],
      [method, getPath],
    ]),
  ] as [string, string][])('returns 404 for %s %s', async (method, path) => {
    const response = await service.get(path, session, { method });
    expect([response.status, response.code]).toEqual([404, 'not_found']);
  });
});

describe('a call', () => {
  it('has no conditional response: every condition gets 200', async () => {
    // Express adds an ETag.
    const { etag = '*' } = (await service.get(LIST, session)).headers;
    const response = await service.get(LIST, session, {
      headers: { 'if-none-match': String(etag), 'if-modified-since': new Date().toUTCString() },
    });
    expect(response.status).toBe(200);
  });

  it('returns for HEAD what it returns for GET, without the body', async () => {
    const get = await service.get(getPath, session);
    const head = await service.get(getPath, session, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.headers['content-type']]).toEqual([
      200,
      get.headers['content-length'],
      get.headers['content-type'],
    ]);
  });

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
