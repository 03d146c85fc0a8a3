import { buyer, grant, load, smallWorld } from '../../builders/index.js';
import { bearer, cookie, LIST } from '../../setup/http-call.js';
import { TestIssuer } from '../../../packages/testing/src/test-issuer.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService } from '../../setup/test-service.js';

const world = smallWorld();
const SHOP = '/shop';
const session = cookie(world.session.cookie);

let database: TestDatabase;
let service: TestService;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  service = await TestService.start({ database, env: { ROLLOUT_HELLO: 'on' } });
});
afterAll(async () => {
  await service.stop();
  await database.drop();
});

const token = async (): Promise<ReturnType<typeof bearer>> =>
  bearer((await service.tokenFor(world.buyer.id)).token);

describe('a host application', () => {
  it('keeps its own routes, interceptor, filter, guard and unknown paths', async () => {
    const shop = await service.call(SHOP);
    expect([shop.status, shop.text]).toEqual([200, '{"wrapped":{"open":true}}']);
    expect(shop.headers).not.toHaveProperty('service-api-version');
    expect(shop.headers).toHaveProperty('x-ratelimit-limit-short');
    expect((await service.call(`${SHOP}/broken`)).text).toBe('{"host":500}');
    expect((await service.call('/nowhere')).text).toBe('{"host":404}');
    const rejection = await service.call(SHOP, { headers: { 'x-host-key': 'wrong' } });
    expect([rejection.status, rejection.text]).toEqual([403, '{"host":403}']);
  });

  it('lists the endpoints of the module in its own API description', async () => {
    const { text } = await service.call('/api/v1/openapi.json');
    const { paths } = JSON.parse(text) as { paths: Record<string, object> };
    expect(Object.keys(paths).filter((name) => name.includes('/deal-sets'))).toEqual([
      '/api/v1/deal-sets',
      '/api/v1/deal-sets/{id}',
    ]);
  });

  it('serves the endpoints of the module without its own guard, interceptor and filter', async () => {
    const headers = { ...session.headers, 'x-host-key': 'wrong' };
    const list = await service.call(LIST, { headers });
    expect(list.status).toBe(200);
    expect(JSON.parse(list.text)).toHaveProperty('data');
    expect(list.headers).not.toHaveProperty('x-ratelimit-limit');
    const rejection = await service.call(LIST);
    expect([rejection.status, rejection.code]).toEqual([401, 'unauthenticated']);
    expect(rejection.headers['www-authenticate']).toBe('Bearer error="invalid_token"');
  });

  it('cannot open an endpoint with a strategy of its own', async () => {
    for (const authorization of ['Bearer anything', 'Bearer a.b.c', 'Basic YTpi']) {
      const response = await service.call(LIST, { headers: { authorization } });
      expect([response.status, response.code]).toEqual([401, 'unauthenticated']);
    }
  });

  it('has endpoints of its own with sign-in, scope and the contract’s errors', async () => {
    const hello = await service.call(`${SHOP}/hello`, session);
    expect([hello.status, hello.text]).toEqual([200, JSON.stringify({ buyerId: world.buyer.id })]);
    expect((await service.call(`${SHOP}/hello`, await token())).status).toBe(200);
    const rejection = await service.call(`${SHOP}/hello`);
    expect([rejection.status, rejection.code]).toEqual([401, 'unauthenticated']);
    expect(rejection.headers['service-api-version']).toBe('2026-10-13');
  });

  it('admits 120 reads in all, including those of its own endpoint in the class', async () => {
    const limited = await TestService.start({
      database,
      env: { ROLLOUT_HELLO: 'on', READ_RATE_LIMIT: undefined },
      hostOptions: { throttlers: [{ name: 'uploads', ttl: 1_000, limit: 1 }] },
    });
    try {
      const paths = [LIST, `${SHOP}/hello`, `/api/v1/deal-sets/${world.set.id}`];
      const statuses: number[] = [];
      for (let call = 0; call < 130; call += 1) {
        statuses.push((await limited.call(paths[call % 3] ?? LIST, session)).status);
      }
      expect(statuses.filter((status) => status === 200)).toHaveLength(120);
      expect(statuses.slice(120)).toEqual(Array(10).fill(429));
    } finally {
      await limited.stop();
    }
  });
});

describe('tokens of different buyers', () => {
  it('each get the response of their own buyer while the keys are slow to load', async () => {
    const buyers = Array.from({ length: 50 }, () => buyer());
    await load(
      database,
      buyers.flatMap((person) => [person, grant({ buyerId: person.id })]),
    );
    const issuer = await TestIssuer.start();
    const { jwk } = issuer.key;
    issuer.keyServer.misbehave((_request, response) => {
      setTimeout(() => response.end(JSON.stringify({ keys: [jwk] })), 300);
    });
    const slow = await TestService.start({ database, issuer, env: { ROLLOUT_HELLO: 'on' } });
    try {
      const tokens = await Promise.all(buyers.map(({ id }) => issuer.token(id)));
      const responses = await Promise.all(
        tokens.map((token) => slow.call(`${SHOP}/hello`, bearer(token))),
      );
      const greetedIds = responses.map(
        ({ text }) => (JSON.parse(text) as { buyerId?: string }).buyerId,
      );
      expect(greetedIds).toEqual(buyers.map(({ id }) => id));
    } finally {
      await slow.stop();
      await issuer.stop();
    }
  });
});

describe('two applications in one process', () => {
  it('accept only the tokens of their own issuer, even when one is closed', async () => {
    const first = await TestIssuer.start();
    const second = await TestIssuer.start();
    const service = await TestService.start({ database, issuer: first });
    const other = await TestService.start({ database, issuer: second });
    try {
      const ofFirst = bearer(await first.token(world.buyer.id));
      const ofSecond = bearer(await second.token(world.buyer.id));
      const statuses = async (app: TestService): Promise<number[]> =>
        Promise.all([ofFirst, ofSecond].map(async (by) => (await app.call(LIST, by)).status));
      for (let round = 0; round < 5; round += 1) {
        expect(await Promise.all([statuses(service), statuses(other)])).toEqual([
          [200, 401],
          [401, 200],
        ]);
      }
      await other.stop();
      expect(await statuses(service)).toEqual([200, 401]);
    } finally {
      await service.stop();
      await first.stop();
      await second.stop();
    }
  });
});
