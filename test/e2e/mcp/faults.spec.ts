import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { McpService } from '../../setup/mcp-service.js';
import { TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';
import { portOf, through } from '../faults/fault-world.js';

const world = smallWorld();
let database: TestDatabase;
let proxy: TcpProxy;
let mcp: McpService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  proxy = await TcpProxy.start(portOf(database.url));
  mcp = await McpService.start({ database, env: { DATABASE_URL: through(proxy, database.url) } });
  assistant = await mcp.tokenFor(world.anna.id);
});
afterAll(async () => {
  proxy.heal();
  await mcp.stop();
  await proxy.stop();
  await database.drop();
});

const call = () =>
  mcp.request(
    'tools/call',
    { name: 'get_deal_set', arguments: { dealSetId: world.set.id } },
    assistant,
  );

describe('a tool call while something is wrong', () => {
  it('is answered by HTTP while sign-in cannot be confirmed, without a word against the token', async () => {
    expect((await call()).status).toBe(200);
    await proxy.refuse();
    const answer = await call();
    expect([answer.status, JSON.parse(answer.text)]).toMatchObject([
      503,
      { error: { code: 'auth_unverifiable' } },
    ]);
    expect(answer.headers).not.toHaveProperty('www-authenticate');
    proxy.heal();
    await eventually(async () => expect((await call()).message.result?.isError).toBeUndefined());
  });
});
