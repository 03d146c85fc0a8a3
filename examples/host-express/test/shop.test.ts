import type { NestExpressApplication } from '@nestjs/platform-express';
import { Settings } from '@deal-sets/service';
import { grant, sampleWorld, startTestService, type TestService } from '@deal-sets/testing';
import { SignJWT } from 'jose';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createShop } from '../src/create-shop.js';
import { environmentOf, PUBLIC_URL, TOKEN_SECRET } from './shop-environment.js';

const LIST = '/api/v1/deal-sets';
const WRITER_SCOPES = ['offers:read', 'notes:write'];

const world = sampleWorld();
/** The standalone service. The shop uses its database, and must send the same responses. */
let service: TestService;
let shop: NestExpressApplication;
let url: string;

type Headers = Readonly<Record<string, string>>;

/** The parts of an OpenAPI document that the tests read. */
interface Document {
  readonly components: { readonly schemas: object; readonly securitySchemes: object };
  readonly paths: Readonly<
    Record<
      string,
      { readonly get: { readonly operationId: string; readonly 'x-rate-class': object } }
    >
  >;
}

const session: Headers = { cookie: `__Host-session=${world.cookie}` };
let assistant: Headers;
/** An assistant that the buyer also approved for writing notes. */
let writer: Headers;
let account: Headers;

beforeAll(async () => {
  const approved = grant({ buyerId: world.buyerId, clientId: 'writer-1', scopes: WRITER_SCOPES });
  service = await startTestService({ world: [...world.records, approved] });
  setEnvironment(environmentOf(service));
  shop = await createShop();
  await shop.listen(0, '127.0.0.1');
  url = `${await shop.getUrl()}/shop`;
  assistant = { authorization: `Bearer ${await service.tokenFor(world.buyerId)}` };
  const options = { clientId: 'writer-1', scopes: WRITER_SCOPES };
  writer = { authorization: `Bearer ${await service.tokenFor(world.buyerId, options)}` };
  const token = new SignJWT().setProtectedHeader({ alg: 'HS256' }).setSubject('account-1');
  const key = new TextEncoder().encode(TOKEN_SECRET);
  account = { authorization: `Bearer ${await token.sign(key)}` };
}, 60_000);

afterAll(async () => {
  await shop.close();
  await service.stop();
}, 30_000);

/** Sets variables of this process, from which `ConfigModule` reads. */
function setEnvironment(environment: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
}

const get = (path: string, headers: Headers = {}) => fetch(url + path, { headers });
const post = (path: string, headers: Headers, body: object) =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

const remove = (path: string, headers: Headers) => fetch(url + path, { method: 'DELETE', headers });

/** Returns the parts of a response that the contract defines. */
async function contractOf(response: Response) {
  const { headers } = response;
  const names = ['content-type', 'cache-control', 'www-authenticate', 'service-more', 'etag'];
  return {
    status: response.status,
    headers: names.map((name) => headers.get(name)),
    body: await response.text(),
  };
}

it('sends the same responses as the standalone service', async () => {
  const paths = [LIST, `${LIST}/${world.dealSetId}`, `${LIST}/unknown`, `${LIST}?since=yesterday`];
  for (const headers of [session, assistant, account, {}]) {
    for (const path of paths) {
      const standalone = await fetch(service.url + path, { headers });
      expect(await contractOf(await get(path, headers))).toEqual(await contractOf(standalone));
    }
  }
});

it('does not apply its validation pipe to the two endpoints', async () => {
  const since = 'since=2026-01-01T00:00:00Z';
  const queries = ['color=red', `${since}&color=red`, `${since}&${since}`, 'since=2026', 'since='];
  for (const path of [LIST, `${LIST}/${world.dealSetId}`]) {
    for (const query of queries) {
      const [own, standalone] = await Promise.all([
        get(`${path}?${query}`, session),
        fetch(`${service.url}${path}?${query}`, { headers: session }),
      ]);
      expect(await contractOf(own)).toEqual(await contractOf(standalone));
    }
  }
  // The pipe would reject a parameter that no class declares.
  expect((await get(`${LIST}?color=red`, session)).status).toBe(200);
});

it('does not read settings of the deal sets from its own variables', () => {
  const { rollout } = shop.get(Settings, { strict: false });
  expect(rollout).toEqual({ list: 'on', get: 'on', mcp: 'on', favorites: 'on' });
});

it('adds the headers of helmet and CORS to the endpoints, but not those of its throttlers and cache', async () => {
  const { headers } = await get(LIST, session);
  expect(headers.get('x-frame-options')).toBe('SAMEORIGIN');
  expect(headers.get('access-control-allow-origin')).toBe('https://shop.example');
  expect(headers.get('x-ratelimit-limit-long')).toBeNull();
  expect(headers.get('x-cache')).toBeNull();
});

it('does not serve one caller’s response to another from its cache', async () => {
  for (const path of [LIST, `${LIST}/${world.dealSetId}`]) {
    expect((await get(path, session)).status).toBe(200);
    const response = await get(path, assistant);
    expect(response.status).toBe(200);
    const body = await response.text();
    for (const word of world.withheldWords) expect(body).not.toContain(word);
  }
});

it('keeps its own sign-in, validation, errors, cache and throttlers', async () => {
  const appointments = '/appointments';
  const unauthenticated = await get(`${appointments}/count`, assistant);
  expect([unauthenticated.status, await unauthenticated.json()]).toEqual([
    401,
    { problem: { statusCode: 401, message: 'Unauthorized' } },
  ]);
  expect(unauthenticated.headers.get('service-api-version')).toBeNull();

  const invalid = await post(appointments, account, { car: 'Outback', guests: 0, color: 'red' });
  expect(invalid.status).toBe(400);
  // The pipe converts the text to the declared type.
  const made = await post(appointments, account, { car: 'Outback', guests: '2' });
  expect([made.status, await made.json()]).toEqual([
    201,
    { data: { id: 1, car: 'Outback', guests: 2 } },
  ]);

  const first = await get(`${appointments}/count`, account);
  const second = await get(`${appointments}/count`, account);
  expect(await first.json()).toEqual({ data: { count: 1 } });
  expect(await second.json()).toEqual({ data: { count: 1 } });
  expect(second.headers.get('x-cache')).toBe('HIT');
  expect(second.headers.get('x-ratelimit-limit-long')).toBe('20');
});

it('serves the shop’s own endpoint to the buyer and to the assistant', async () => {
  const favorite = { car: 'Outback', remark: 'for the lake house' };
  const added = await post('/favorites', session, favorite);
  expect([added.status, await added.json()]).toEqual([201, favorite]);
  // The buyer approved this assistant only for reading.
  expect((await post('/favorites', assistant, favorite)).status).toBe(403);
  expect((await post('/favorites', session, { car: 'Outback' })).status).toBe(400);

  const own = await get('/favorites', session);
  expect(await own.json()).toEqual({ favorites: [favorite] });
  const seen = await get('/favorites', assistant);
  expect(await seen.json()).toEqual({ favorites: [{ car: 'Outback', remark: null }] });
  expect((await get('/favorites', account)).status).toBe(401);
});

it('exports the favorites only to the buyer, and deletes them', async () => {
  const favorites = [
    { car: 'Outback', remark: 'for the lake house' },
    { car: 'Forester', remark: 'the "green" one, not the blue one' },
  ];
  expect((await remove('/favorites', session)).status).toBe(204);
  for (const favorite of favorites) await post('/favorites', session, favorite);

  const file = await get('/favorites.csv', session);
  expect([file.status, file.headers.get('content-type')]).toEqual([200, 'text/csv; charset=utf-8']);
  expect(file.headers.get('content-disposition')).toBe('attachment; filename="favorites.csv"');
  expect(await file.text()).toBe(
    '"car","remark"\r\n' +
      '"Outback","for the lake house"\r\n' +
      '"Forester","the ""green"" one, not the blue one"\r\n',
  );
  expect((await get('/favorites.csv', assistant)).status).toBe(403);
  expect((await get('/favorites.csv', account)).status).toBe(401);

  // The buyer approved this assistant only for reading.
  expect((await remove('/favorites', assistant)).status).toBe(403);
  const removed = await remove('/favorites', session);
  expect([removed.status, await removed.text()]).toEqual([204, '']);
  expect(await (await get('/favorites', session)).json()).toEqual({ favorites: [] });
});

it('exports more favorites than one page of the database', async () => {
  await shop.get(DataSource).query(
    `INSERT INTO shop_favorite (buyer_id, car, remark)
       SELECT $1, 'car ' || number, '' FROM generate_series(1, 1001) AS number`,
    [world.buyerId],
  );
  const lines = (await (await get('/favorites.csv', session)).text()).trimEnd().split('\r\n');
  expect(lines).toHaveLength(1002);
  expect(new Set(lines).size).toBe(1002);
  await remove('/favorites', session);
});

it('protects and redacts its own routes without `@Endpoint`', async () => {
  expect((await get('/notes/newest', session)).status).toBe(404);
  const note = { topic: 'trade-in', words: 'Ask about the old Civic.' };
  const added = await post('/notes', session, note);
  // The interceptor of the shop applies to these routes.
  expect([added.status, await added.json()]).toEqual([201, { data: note }]);
  expect((await post('/notes', session, { ...note, color: 'red' })).status).toBe(400);

  const own = await get('/notes/newest', session);
  expect([own.headers.get('x-cache'), await own.json()]).toEqual([null, { data: note }]);
  const seen = await get('/notes/newest', assistant);
  expect(await seen.json()).toEqual({ data: { ...note, words: null } });

  // Only the buyer's session may add a note, so no approval would help.
  for (const agent of [assistant, writer]) {
    const rejected = await post('/notes', agent, note);
    expect([rejected.status, rejected.headers.get('www-authenticate')]).toEqual([403, null]);
    expect(await rejected.json()).toMatchObject({ error: { code: 'forbidden' } });
  }

  const unauthenticated = await get('/notes/newest', account);
  expect(unauthenticated.status).toBe(401);
  expect(unauthenticated.headers.get('www-authenticate')).toContain('Bearer');
});

it('rejects a path with an invalid escape before it reaches the endpoints', async () => {
  const response = await get(`${LIST}/%ff`, session);
  expect([response.status, response.headers.get('service-api-version')]).toEqual([400, null]);
});

it('serves assistants over MCP at the root, and not under its prefix', async () => {
  const root = await shop.getUrl();
  const token = await service.tokenFor(world.buyerId, { claims: { aud: `${PUBLIC_URL}/mcp` } });
  const call = (address: string, headers: Headers) =>
    fetch(address, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': '2025-06-18',
        ...headers,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'get_deal_set', arguments: { dealSetId: world.dealSetId } },
      }),
    });
  const authorization = `Bearer ${token}`;
  const called = await call(`${root}/mcp`, { authorization });
  expect(called.status).toBe(200);
  const { result } = (await called.json()) as { result: { structuredContent: unknown } };
  const rest = await get(`${LIST}/${world.dealSetId}`, assistant);
  expect(result.structuredContent).toEqual(await rest.json());

  const rejected = await call(`${root}/mcp`, session);
  const metadata = '/.well-known/oauth-protected-resource/mcp';
  expect(rejected.status).toBe(401);
  expect(rejected.headers.get('www-authenticate')).toContain(PUBLIC_URL + metadata);
  expect(await (await fetch(root + metadata)).json()).toMatchObject({
    resource: `${PUBLIC_URL}/mcp`,
    authorization_servers: [service.settings.issuer?.issuer],
  });
  expect((await call(`${url}/mcp`, { authorization })).status).toBe(404);
});

it('describes the endpoints in its own OpenAPI document like the standalone service', async () => {
  const response = await get('/docs-json');
  expect(response.status).toBe(200);
  const shopDocument = (await response.json()) as Document;
  const standalone = await fetch(`${service.url}/api/v1/openapi.json`);
  const document = (await standalone.json()) as Document;
  const { schemas, securitySchemes } = shopDocument.components;
  expect(schemas).toMatchObject(document.components.schemas);
  expect(securitySchemes).toMatchObject(document.components.securitySchemes);
  for (const [path, { get: operation }] of Object.entries(document.paths)) {
    const { operationId: _operationId, ...described } = operation;
    expect(shopDocument.paths[`/shop${path}`]?.get).toMatchObject({
      ...described,
      'x-rate-class': { ...described['x-rate-class'], requests: 120 },
    });
  }
  expect(shopDocument.paths['/shop/favorites']?.get['x-rate-class']).toEqual({
    name: 'favorites',
    requests: 60,
    seconds: 60,
    per: 'principal',
  });
});
