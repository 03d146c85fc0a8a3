import { load, priceCheck } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { LIST as list } from '../../setup/http-call.js';
import { TestService, type Credential } from '../../setup/test-service.js';
import { everyStateWorld } from './every-state-world.js';

const world = everyStateWorld();
const single = priceCheck({ buyerId: world.anna.id, dealershipId: world.dealerships[0]!.id });
const one = `/api/v1/deal-sets/${world.set.id}`;

let service: TestService;
let assistant: Credential;
beforeAll(async () => {
  service = await TestService.start();
  await load(service.database, [...world.records, single]);
  assistant = await service.tokenFor(world.anna.id);
});
afterAll(() => service.stop());

async function notFound(id: string, who: Credential = world.session): Promise<string> {
  const answer = await service.send('GET', `/api/v1/deal-sets/${id}`, who);
  expect([answer.status, answer.headers['www-authenticate']]).toEqual([404, undefined]);
  return answer.text;
}

describe('a resource that is not the caller’s', () => {
  it('is not found, by the same bytes whether it is another’s, unknown or a price check', async () => {
    const unknown = await notFound('00000000-0000-4000-8000-000000000000');
    expect(await notFound(world.set.id, world.bensSession)).toBe(unknown);
    expect(await notFound(single.id)).toBe(unknown);
    expect(await notFound(world.rows.lowest.id)).toBe(unknown);
    expect(JSON.parse(unknown)).toMatchObject({ error: { code: 'not_found' } });
  });

  it.each([
    ['no UUID', 'abc'],
    ['a UUID in braces', '%7B00000000-0000-4000-8000-000000000000%7D'],
    ['a UUID without hyphens', '00000000000040008000000000000000'],
    ['a UUID with a blank', '%2000000000-0000-4000-8000-000000000000'],
    ['a UUID and more', '00000000-0000-4000-8000-000000000000x'],
    ['a NUL', '%00'],
    ['an encoded slash', 'a%2Fb'],
    ['SQL', "'%20OR%201=1--"],
  ])('is not found for %s', async (_what, id) => {
    await notFound(id);
    expect((await service.send('GET', `/api/v1/deal-sets/${id}`, undefined)).status).toBe(401);
  });

  it('is found by the upper-case form of its id, and answers it in lower case', async () => {
    const answer = await service.get<{ data: { dealSetId: string } }>(
      `/api/v1/deal-sets/${world.set.id.toUpperCase()}`,
      world.session,
    );
    expect([answer.status, answer.body.data.dealSetId]).toEqual([200, world.set.id]);
  });
});

describeStandalone('an id that no framework hands to a route by itself', () => {
  it.each([
    ['broken percent-encoding', '%FF'],
    ['half an escape', '%'],
    ['a very long text', 'a'.repeat(4000)],
    ['a lone surrogate', '%ED%A0%80'],
  ])('is not found for %s', async (_what, id) => {
    await notFound(id);
    expect((await service.send('GET', `/api/v1/deal-sets/${id}`, undefined)).status).toBe(401);
  });
});

describeStandalone('paths and methods', () => {
  it.each([
    `${list}/`,
    `${one}/`,
    '/api/v1/Deal-Sets',
    `${one}/rows`,
    '/',
    '/api/v1',
    `/api/v1/deal-sets%2F${world.set.id}`,
  ])('returns 404 for the path %s', async (path) => {
    const answer = await service.get<{ error: { code: string } }>(path, world.session);
    expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
  });

  it.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])('returns 404 for %s', async (method) => {
    for (const path of [list, one]) {
      const answer = await service.get<{ error: { code: string } }>(path, world.session, {
        method,
      });
      expect([answer.status, answer.body.error.code]).toEqual([404, 'not_found']);
    }
  });
});

describe('a call', () => {
  it('gets with HEAD what it gets with GET, without the body', async () => {
    const get = await service.get(one, world.session);
    const head = await service.get(one, world.session, { method: 'HEAD' });
    expect([head.status, head.headers['content-length'], head.headers['content-type']]).toEqual([
      200,
      get.headers['content-length'],
      get.headers['content-type'],
    ]);
  });

  it('changes nothing in the database', async () => {
    const tables = await service.database.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    );
    // Row versions: any write changes one, whichever connection made it.
    const versions = tables.map(
      ({ name }) => `SELECT '${name}' AS name, xmin::text, ctid::text FROM "${name}"`,
    );
    const image = (): Promise<unknown[]> =>
      service.database.query(`${versions.join(' UNION ALL ')} ORDER BY name, ctid`);
    const before = await image();
    for (const who of [world.session, assistant]) {
      for (const path of [list, `${list}?since=1970-01-01T00:00:00Z`, one])
        await service.get(path, who);
    }
    for (const who of [{ cookie: 'x'.repeat(30) }, { token: 'not.a.token' }, undefined])
      await service.get(list, who);
    expect(await image()).toEqual(before);
  });

  it('never reuses a request id', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => service.get(list, world.session)));
    expect(new Set(answers.map((answer) => answer.headers['service-request-id'])).size).toBe(3);
  });
});

describe('a failure of the service', () => {
  it('is 500 without the cause', async () => {
    // A list reads the request's own row, one deal set the deal set.
    const tables = ['deal_set', 'request_feed'];
    for (const table of tables) {
      await service.database.query(
        `ALTER TABLE ${table} RENAME COLUMN car_model TO car_model_gone`,
      );
    }
    try {
      for (const path of [list, `${list}?since=1970-01-01T00:00:00Z`, one]) {
        const answer = await service.get<{ error: { code: string; message: string } }>(
          path,
          world.session,
        );
        expect([answer.status, answer.body.error.code]).toEqual([500, 'internal']);
        expect(answer.text).not.toMatch(/column|car_model|deal_set\b|SELECT|42703/);
      }
    } finally {
      for (const table of tables) {
        await service.database.query(
          `ALTER TABLE ${table} RENAME COLUMN car_model_gone TO car_model`,
        );
      }
    }
    expect((await service.get(one, world.session)).status).toBe(200);
  });
});

describeStandalone('caching', () => {
  it('is not asked for: 200 to every condition', async () => {
    const answer = await service.get(list, world.session, {
      headers: { 'if-none-match': '*', 'if-modified-since': new Date().toUTCString() },
    });
    expect(answer.status).toBe(200);
  });
});
