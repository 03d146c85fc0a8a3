import { Client } from 'pg';
import { load, smallWorld } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { McpService, type McpResponse } from '../../setup/mcp-service.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';
import type { Credential } from '../../setup/test-service.js';

const world = smallWorld();
const GET = ['get_deal_set', { dealSetId: world.set.id }] as const;
let database: TestDatabase;
let proxy: TcpProxy;
let mcp: McpService;
let assistant: Credential;

beforeAll(async () => {
  database = await createTestDatabase();
  await load(database, world.records);
  proxy = await TcpProxy.start(portOf(database.url));
  mcp = await McpService.start({
    database,
    env: { DATABASE_URL: proxiedUrl(proxy, database.url) },
  });
  assistant = await mcp.tokenFor(world.buyer.id);
});
afterAll(async () => {
  proxy.heal();
  await mcp.stop();
  await proxy.stop();
  await database.drop();
});

const call = (name: string, input: object): Promise<McpResponse> =>
  mcp.request('tools/call', { name, arguments: input }, assistant);

describe('a tool call while sign-in cannot be confirmed', () => {
  it('returns 503 over HTTP, without rejecting the token', async () => {
    expect((await call(...GET)).status).toBe(200);
    await proxy.refuse();
    const response = await call(...GET);
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      503,
      { error: { code: 'auth_unverifiable' } },
    ]);
    expect(response.headers).not.toHaveProperty('www-authenticate');
    await proxy.accept();
    await eventually(async () =>
      expect((await call(...GET)).message.result?.structuredContent).toBeDefined(),
    );
  });
});

/** The server process of a read that waits for the lock, other than the previous one. */
async function waitingRead(before?: number): Promise<number> {
  let pid: number | undefined;
  await eventually(async () => {
    const found = await database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE 'deal-sets %reads'
         AND state = 'active' AND wait_event_type = 'Lock'`,
    );
    pid = found.find((backend) => backend.pid !== before)?.pid;
    expect(pid).toBeDefined();
  });
  return pid!;
}

/** Ends that process, as an operator or a crash does. */
async function endProcess(before?: number): Promise<number> {
  const pid = await waitingRead(before);
  await database.query('SELECT pg_terminate_backend($1)', [pid]);
  return pid;
}

describe('a tool call whose read hangs', () => {
  /** The service with a short deadline. */
  let hasty: McpService;
  let holder: Client;

  beforeAll(async () => {
    hasty = await McpService.start({ database, env: { REQUEST_DEADLINE_MS: '1000' } });
  });
  afterAll(() => hasty.stop());

  beforeEach(async () => {
    holder = new Client({ connectionString: database.url });
    await holder.connect();
    await holder.query(
      'BEGIN; LOCK TABLE deal_sets.price_check, deal_sets.request_feed IN ACCESS EXCLUSIVE MODE',
    );
  });
  afterEach(() => holder.end());

  async function expectUnavailable(pending: Promise<McpResponse>): Promise<void> {
    const { status, message, headers } = await pending;
    expect([status, message.result]).toMatchObject([
      200,
      {
        isError: true,
        content: [{ text: expect.stringContaining('{"error":{"code":"unavailable",') as string }],
      },
    ]);
    // An operator sees the outage and its cause, as for a read over REST.
    const id = String(headers['service-request-id']);
    await eventually(() => {
      const line = mcp.service.logLines.find((text) => text.includes(id)) ?? '{}';
      expect(JSON.parse(line)).toMatchObject({
        level: 'warn',
        toolError: 'unavailable',
        error: expect.any(String) as string,
      });
    });
  }

  it.each([
    GET,
    ['list_price_requests', {}],
    ['list_price_requests', { since: '2020-01-01T00:00:00Z' }],
  ] as const)(
    'returns the result unavailable when the server ends the read and its second attempt: %s %j',
    async (name, input) => {
      const pending = call(name, input);
      await endProcess(await endProcess());
      await expectUnavailable(pending);
    },
  );

  it('returns the result unavailable when the database goes away', async () => {
    const pending = call(...GET);
    await waitingRead();
    await proxy.refuse();
    await expectUnavailable(pending);
    await proxy.accept();
  });

  it('returns 503 over HTTP at the deadline', async () => {
    const [name, input] = GET;
    const params = { name, arguments: input };
    const token = await hasty.tokenFor(world.buyer.id);
    const response = await hasty.request('tools/call', params, token);
    expect([response.status, JSON.parse(response.text)]).toMatchObject([
      503,
      { error: { code: 'unavailable' } },
    ]);
  });
});
