import { ForbiddenException } from '@nestjs/common';
import {
  AppError,
  DealSetReads,
  DealSetsApi,
  callerOf,
  SessionStore,
  type AssistantPrincipal,
  type DealSetRead,
  type ListRead,
  type Principal,
} from '../../../src/index.js';
import { assistantOf, sessionOf } from '../../../packages/testing/src/principals.js';
import { buyer, load, signIn, smallWorld } from '../../builders/index.js';
import { describeStandalone } from '../../setup/host-application.js';
import { LIST } from '../../setup/http-call.js';
import { McpService } from '../../setup/mcp-service.js';
import { cachedReads, hitsOf } from '../../setup/reads.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import { TestService, type TestServiceOptions } from '../../setup/test-service.js';

const world = smallWorld();
const berta = buyer();
const bertaSession = signIn(berta.id);
const PAGE = `${LIST}?since=1970-01-01T00:00:00Z`;
const GET = world.getPath;

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, [...world.records, berta, bertaSession.record]);
});
afterAll(() => database.drop());

async function withReads(
  options: TestServiceOptions,
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({ database, ...options });
  try {
    await work(service);
  } finally {
    await service.stop();
  }
}

const withCache = (
  keyOf: (principal: Principal) => unknown,
  work: (service: TestService) => Promise<void>,
): Promise<void> => withReads({ hostOptions: { providers: [cachedReads(keyOf)] } }, work);

const emptyList = (principal: Principal): ListRead => ({
  readFor: callerOf(principal),
  response: { data: [] },
  hasMore: false,
  asOf: null,
});

/** A service whose list is what `list` returns, whether or not that is a valid result. */
const listOnly = (list: (principal: Principal) => unknown): TestServiceOptions => ({
  hostOptions: {
    providers: [
      {
        provide: DealSetReads,
        useValue: {
          list: (principal: Principal) => Promise.resolve(list(principal)),
          get: () => Promise.reject(new AppError('not_found')),
        },
      },
    ],
  },
});

const anna = sessionOf(world.anna.id);
const assistant = assistantOf(world.anna.id);

describe('the reads behind a cache of the host application', () => {
  it('send the same bytes and headers from the cache, separately for each caller', () =>
    withCache(callerOf, async (service) => {
      const token = await service.tokenFor(world.anna.id);
      for (const credential of [world.session, token]) {
        for (const target of [LIST, PAGE, GET]) {
          const read = await service.get(target, credential);
          const cached = await service.get(target, credential);
          expect([read.status, cached.text]).toEqual([200, read.text]);
          for (const name of ['service-more', 'service-as-of']) {
            expect(cached.headers[name]).toBe(read.headers[name]);
          }
        }
      }
      expect(hitsOf(service.app.get(DealSetReads, { strict: false }))).toBe(6);
      const own = await service.get(GET, world.session);
      expect(own.text).toContain('Redwood');
      expect((await service.get(GET, token)).text).not.toContain('Redwood');
    }));

  it('send 500 in place of a result that was read for another caller', () =>
    withCache(
      () => 'everyone',
      async (service) => {
        const token = await service.tokenFor(world.anna.id);
        for (const target of [LIST, PAGE, GET]) {
          expect((await service.get(target, world.session)).status).toBe(200);
          for (const credential of [token, { cookie: bertaSession.cookie }]) {
            const rejection = await service.get(target, credential);
            expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
            expect(rejection.text).not.toMatch(/Redwood|CR-V/);
            expect(rejection.headers).not.toHaveProperty('service-more');
          }
        }
        const api = service.app.get(DealSetsApi);
        await expect(api.list(assistant)).rejects.toMatchObject({ code: 'internal' });
        await expect(api.get(assistant, world.set.id)).rejects.toMatchObject({ code: 'internal' });
        expect(JSON.parse(await api.get(anna, world.set.id))).toHaveProperty('data');
        const lines = service.logLines.filter((line) =>
          line.includes('result was read for another caller'),
        );
        expect(lines).toHaveLength(8);
        for (const line of lines) expect(JSON.parse(line)).toMatchObject({ level: 'error' });
      },
    ));

  it.each<[string, Partial<AssistantPrincipal>]>([
    ['other scopes', { scopes: new Set(['offers:read', 'prices:read']) }],
    ['another kind of assistant', { isHosted: !assistant.isHosted }],
  ])('send 500 in place of a result for the same client with %s', (_name, changes) =>
    withCache(
      ({ buyerId, type }) => [buyerId, type],
      async (service) => {
        // Redaction rules and custom fields may depend on each member of the principal.
        const api = service.app.get(DealSetsApi);
        await api.get({ ...assistant, ...changes }, world.set.id);
        await expect(api.get(assistant, world.set.id)).rejects.toMatchObject({ code: 'internal' });
      },
    ),
  );

  it.each<[string, string, unknown]>([
    ['a missing result', 'has no readFor', undefined],
    ['a result without a caller', 'has no readFor', { readFor: undefined }],
    ['a result without hasMore', 'has no hasMore', { hasMore: undefined }],
    ['a result with hasMore as text', 'has no hasMore', { hasMore: 'no' }],
    ['a result with asOf, without since', 'without since has asOf', { asOf: '2026-01-01' }],
  ])('send 500 in place of %s', async (_name, problem, changes) => {
    const reads = listOnly((principal) => changes && { ...emptyList(principal), ...changes });
    await withReads(reads, async (service) => {
      const rejection = await service.get(LIST, world.session);
      expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
      expect(service.logLines.join('\n')).toContain(problem);
    });
  });

  it('send 500 for an exception of Nest, and an error of the contract as it is', async () => {
    for (const [error, status, code] of [
      [new ForbiddenException('Redwood'), 500, 'internal'],
      [new Error('Redwood'), 500, 'internal'],
      [new AppError('unavailable'), 503, 'unavailable'],
    ] as const) {
      const reads = listOnly(() => {
        throw error;
      });
      await withReads(reads, async (service) => {
        const rejection = await service.get(LIST, world.session);
        expect([rejection.status, rejection.code]).toEqual([status, code]);
        expect(rejection.text).not.toContain('Redwood');
      });
    }
  });

  it.each([null, '', 'yesterday', new Date(0)])(
    'send 500 in place of a page with the asOf %p',
    async (asOf) => {
      const reads = listOnly((principal) => ({ ...emptyList(principal), asOf }));
      await withReads(reads, async (service) => {
        const rejection = await service.get(PAGE, world.session);
        expect([rejection.status, rejection.code]).toEqual([500, 'internal']);
        expect(rejection.headers).not.toHaveProperty('service-as-of');
      });
    },
  );
});

describe('the reads of a test of the host application', () => {
  it('need no PostgreSQL', async () => {
    class NoDealSets extends DealSetReads {
      override list(principal: Principal): Promise<ListRead> {
        return Promise.resolve({ ...emptyList(principal), hasMore: true });
      }
      override get(): Promise<DealSetRead> {
        return Promise.reject(new AppError('not_found'));
      }
    }
    const found = { buyerId: world.anna.id, expiresAt: new Date('2999-01-01'), revokedAt: null };
    const providers = [
      { provide: DealSetReads, useClass: NoDealSets },
      { provide: SessionStore, useValue: { find: () => Promise.resolve(found) } },
    ];
    const env = { DATABASE_URL: 'postgres://127.0.0.1:1/none' };
    await withReads({ env, hostOptions: { providers } }, async (service) => {
      const list = await service.get(LIST, world.session);
      expect([list.status, list.text]).toEqual([200, '{"data":[]}']);
      expect(list.headers['service-more']).toBe('true');
      expect((await service.get(GET, world.session)).status).toBe(404);
    });
  });
});

describeStandalone('the tools of MCP behind a cache of the host application', () => {
  it('send 500 in place of a result that was read for another caller', async () => {
    const providers = [cachedReads(() => 'everyone')];
    const mcp = await McpService.start({ database, hostOptions: { providers } });
    try {
      expect((await mcp.service.get(GET, world.session)).status).toBe(200);
      const params = { name: 'get_deal_set', arguments: { dealSetId: world.set.id } };
      const token = await mcp.tokenFor(world.anna.id);
      const rejection = await mcp.request('tools/call', params, token);
      expect(rejection.status).toBe(500);
      expect(rejection.text).not.toMatch(/Redwood|CR-V/);
    } finally {
      await mcp.stop();
    }
  });
});
