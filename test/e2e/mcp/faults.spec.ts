import { Client } from 'pg';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { McpService, type McpAnswer } from '../../setup/mcp-service.js';
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
    await proxy.accept();
    await eventually(async () =>
      expect((await call()).message.result?.structuredContent).toBeDefined(),
    );
  });
});

/** The reads that wait for the lock. */
const waiting = async (): Promise<readonly number[]> =>
  (
    await database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %reads'
         AND state = 'active' AND wait_event_type = 'Lock'`,
    )
  ).map(({ pid }) => pid);

/** Ends the server process of the read, as an operator or a crash does; a different one than before. */
async function kill(before?: number): Promise<number> {
  let pid: number | undefined;
  await eventually(async () => {
    [pid] = (await waiting()).filter((one) => one !== before);
    expect(pid).toBeDefined();
  });
  await database.query('SELECT pg_terminate_backend($1)', [pid]);
  return pid!;
}

describe('a tool call whose read loses its connection', () => {
  let holder: Client;

  beforeEach(async () => {
    holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query('BEGIN; LOCK TABLE price_check, request_feed IN ACCESS EXCLUSIVE MODE');
  });
  afterEach(() => holder.end());

  const tools = [
    ['get_deal_set', { dealSetId: world.set.id }],
    ['list_price_requests', {}],
    ['list_price_requests', { since: '2020-01-01T00:00:00Z' }],
  ] as const;
  const eras = { modern, legacy };

  async function expectUnavailable(answering: Promise<McpAnswer>): Promise<void> {
    const { status, text, message } = await answering;
    expect([status, text]).toEqual([200, expect.stringContaining('unavailable')]);
    expect(message.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('{"error":{"code":"unavailable",') as string }],
    });
  }

  for (const [name, input] of tools) {
    for (const [era, call] of Object.entries(eras)) {
      const title = `${name} ${JSON.stringify(input)}, ${era}`;

      it(`returns the tool's result unavailable when the server ends the read and its second try: ${title}`, async () => {
        const answering = call(name, input);
        await kill(await kill());
        await expectUnavailable(answering);
      });

      it(`returns the tool's result unavailable when the database goes away: ${title}`, async () => {
        const answering = call(name, input);
        await eventually(async () => expect(await waiting()).toHaveLength(1));
        await proxy.refuse();
        await expectUnavailable(answering);
        await proxy.accept();
      });
    }
  }
});

function modern(name: string, input: object): Promise<McpAnswer> {
  return mcp.request('tools/call', { name, arguments: input }, assistant);
}

function legacy(name: string, input: object): Promise<McpAnswer> {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  return mcp.post(JSON.stringify(body), { 'mcp-protocol-version': '2025-11-25' }, assistant);
}
