import { Body, Controller, Injectable, Module, Post } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { IsObject } from 'class-validator';
import {
  AppError,
  CurrentPrincipal,
  DealSetsApi,
  Endpoint,
  RequestSignal,
  ResponseDto,
  Shown,
  type Principal,
} from '../../src/index.js';
import { load, smallWorld } from '../builders/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';
import { TestService, type Credential, type TeamOptions } from '../setup/test-service.js';

const world = smallWorld();
const LIST = '/api/v1/deal-sets';
const GET = `${LIST}/${world.set.id}`;
const EPOCH = '1970-01-01T00:00:00Z';

@ResponseDto('Result of a call.')
class RpcResult {
  @Shown('JSON text.')
  readonly result!: string;
}

class RpcCall {
  @ApiProperty({ type: 'object', additionalProperties: true, description: 'What to call.' })
  @IsObject()
  readonly call!: { method: string; since?: string; id?: string };
}

/** Another protocol of a team in front of the same two reads. */
@Injectable()
class RpcTools {
  constructor(private readonly api: DealSetsApi) {}

  async call(
    { method, since, id }: RpcCall['call'],
    principal: Principal,
    signal: AbortSignal,
  ): Promise<string> {
    try {
      if (method === 'get') return await this.api.get(principal, id ?? '', signal);
      const { body, hasMore, asOf } = await this.api.list(principal, { since }, signal);
      return JSON.stringify({ body, hasMore, asOf });
    } catch (error) {
      if (error instanceof AppError) return `error ${error.code} ${error.reason ?? ''}`;
      throw error;
    }
  }
}

@Controller('rpc')
class RpcController {
  constructor(private readonly tools: RpcTools) {}

  @Post()
  @Endpoint({
    flag: 'rpc',
    scope: 'rpc:call',
    rateClass: 'rpc',
    response: RpcResult,
    body: RpcCall,
    summary: 'Call',
  })
  async call(
    @CurrentPrincipal() principal: Principal,
    @Body() { call }: RpcCall,
    @RequestSignal() signal: AbortSignal,
  ): Promise<RpcResult> {
    return { result: await this.tools.call(call, principal, signal) };
  }
}
@Module({ controllers: [RpcController], providers: [RpcTools] })
class RpcModule {}

const team: TeamOptions = {
  imports: [RpcModule],
  throttlers: [{ name: 'rpc', limit: 1000, ttl: 60_000 }],
};
const anna: Principal = {
  type: 'session',
  buyerId: world.anna.id,
  scopes: new Set(['offers:read']),
};

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  const grants = world.records.filter((record) => record.record === 'grant');
  Object.assign(grants[0]!, { scopes: ['offers:read', 'rpc:call'] });
  Object.assign(grants[1]!, { scopes: ['rpc:call'] });
  await load(database, world.records);
});
afterAll(() => database.drop());

async function withService(
  env: Record<string, string>,
  work: (service: TestService, call: Caller) => Promise<void>,
): Promise<void> {
  const service = await TestService.start({
    database,
    team,
    env: { ROLLOUT_RPC: 'on', ...env },
  });
  try {
    await work(service, async (call, credential) => {
      const response = await service.send(
        'POST',
        '/rpc',
        credential,
        { 'content-type': 'application/json' },
        JSON.stringify({ call }),
      );
      return (JSON.parse(response.text) as { result: string }).result;
    });
  } finally {
    await service.stop();
  }
}
type Caller = (call: RpcCall['call'], credential: Credential) => Promise<string>;

describe('DealSetsApi', () => {
  it('answers byte for byte what the endpoints answer, for each principal', async () => {
    await withService({}, async (service, call) => {
      const assistant = await service.tokenFor(world.anna.id, { scope: 'offers:read rpc:call' });
      for (const who of [world.session, assistant]) {
        expect(await call({ method: 'get', id: world.set.id }, who)).toBe(
          (await service.get(GET, who)).text,
        );
        const plain = await service.get(LIST, who);
        expect(JSON.parse(await call({ method: 'list' }, who))).toEqual({
          body: plain.text,
          hasMore: plain.headers['service-more'] === 'true',
          asOf: null,
        });
        const page = JSON.parse(await call({ method: 'list', since: EPOCH }, who)) as {
          body: string;
          asOf: string;
        };
        expect(page.body).toBe((await service.get(`${LIST}?since=${EPOCH}`, who)).text);
        expect(Date.parse(page.asOf)).toBeGreaterThan(0);
      }
    });
  });

  it('applies scope and input rules', async () => {
    await withService({}, async (service, call) => {
      const limited = await service.tokenFor(world.anna.id, {
        client_id: 'hosted-1',
        scope: 'offers:read rpc:call',
      });
      expect(await call({ method: 'list' }, limited)).toBe('error insufficient_scope ');
      const own = world.session;
      expect(await call({ method: 'list', since: 'yesterday' }, own)).toBe(
        'error invalid_request since_malformed',
      );
      expect(await call({ method: 'get', id: 'none' }, own)).toBe('error not_found ');
    });
  });

  it('applies the rollout of each endpoint, and says what is on', async () => {
    await withService({ ROLLOUT_GET: 'off' }, async (service, call) => {
      const own = world.session;
      expect(await call({ method: 'get', id: world.set.id }, own)).toBe('error not_found ');
      expect(await call({ method: 'list' }, own)).toContain('"hasMore"');
      const api = service.app.get(DealSetsApi);
      const { signal } = new AbortController();
      expect(await api.isOn('get', anna, signal)).toBe(false);
      expect(await api.isOn('list', anna, signal)).toBe(true);
    });
  });

  it('counts in the same class as the endpoints', async () => {
    await withService({ READ_RATE_LIMIT: '3' }, async (service, call) => {
      const own = world.session;
      expect(await call({ method: 'list' }, own)).toContain('"hasMore"');
      expect((await service.get(LIST, own)).status).toBe(200);
      expect(await call({ method: 'list' }, own)).toContain('"hasMore"');
      expect((await service.get(LIST, own)).status).toBe(429);
      expect(await call({ method: 'list' }, own)).toBe('error rate_limited ');
    });
  });

  it('ends with the calling request, with the reason of its signal', async () => {
    await withService({}, async (service) => {
      const api = service.app.get(DealSetsApi);
      const over = AbortSignal.abort(new AppError('unavailable'));
      await expect(api.list(anna, {}, over)).rejects.toMatchObject({ code: 'unavailable' });
      await expect(api.get(anna, world.set.id, over)).rejects.toMatchObject({
        code: 'unavailable',
      });
    });
  });

  it('ends at the deadline of the contract, also without a signal', async () => {
    await withService({ REQUEST_DEADLINE_MS: '500' }, async (service) => {
      await database.client.query('BEGIN; LOCK TABLE price_check IN ACCESS EXCLUSIVE MODE');
      try {
        const startedAt = performance.now();
        await expect(service.app.get(DealSetsApi).get(anna, world.set.id)).rejects.toMatchObject({
          code: 'unavailable',
        });
        expect(performance.now() - startedAt).toBeLessThan(2000);
      } finally {
        await database.client.query('ROLLBACK');
      }
    });
  });

  it('refuses a caller of no known type', async () => {
    await withService({}, async (service) => {
      const caller = { ...anna, type: 'dealer' } as unknown as Principal;
      await expect(service.app.get(DealSetsApi).list(caller)).rejects.toMatchObject({
        code: 'unauthenticated',
      });
    });
  });
});
