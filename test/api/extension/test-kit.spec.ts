import { Controller, Get, Module } from '@nestjs/common';
import { Client } from 'pg';
import { Public } from '../../../src/index.js';
import {
  sampleWorld,
  startTestService,
  type TestService,
} from '../../../packages/testing/src/index.js';

@Controller('acme/hello')
class HelloController {
  @Get()
  @Public()
  hello(): string {
    return 'hello';
  }
}
@Module({ controllers: [HelloController] })
class HelloModule {}

describe('the test kit', () => {
  const world = sampleWorld();
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ team: { imports: [HelloModule] }, world: world.records });
  });
  afterAll(() => service.stop());

  const get = (path: string, headers: Record<string, string>): Promise<Response> =>
    fetch(service.url + path, { headers });

  it('serves the modules of the team', async () => {
    expect(await (await get('/acme/hello', {})).text()).toBe('hello');
  });

  it('serves the world that it was given, to the buyer and to her assistant', async () => {
    const path = `/api/v1/deal-sets/${world.dealSetId}`;
    const cookie = `__Host-session=${world.cookie}`;
    const own = await get(path, { cookie });
    expect([own.status, await own.text()]).toEqual([200, expect.stringContaining('Redwood')]);
    const token = await service.tokenFor(world.buyerId);
    const theirs = await get(path, { authorization: `Bearer ${token}` });
    const text = await theirs.text();
    expect([theirs.status, text]).toEqual([200, expect.stringContaining(world.dealSetId)]);
    for (const word of world.withheldWords) expect(text).not.toContain(word);
  });

  it('issues tokens that are good only as far as they say', async () => {
    const list = async (options: object): Promise<number> => {
      const token = await service.tokenFor(world.buyerId, options);
      return (await get('/api/v1/deal-sets', { authorization: `Bearer ${token}` })).status;
    };
    expect(await list({})).toBe(200);
    expect(await list({ scopes: ['other:scope'] })).toBe(403);
    expect(await list({ clientId: 'assistant-2' })).toBe(401);
    expect(await list({ claims: { exp: 1 } })).toBe(401);
  });

  it('loads further records and gives the database and the log', async () => {
    await service.load(sampleWorld().records);
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    const { rows } = await client.query('SELECT count(*)::int AS count FROM deal_set');
    await client.end();
    expect(rows).toEqual([{ count: 2 }]);
    expect(service.logLines.join('')).toContain('"msg":"request"');
  });

  it('fails to start as the service does', async () => {
    const team = { providers: [HelloModule] };
    await expect(startTestService({ team })).rejects.toThrow('HelloModule is no port');
  });
});
