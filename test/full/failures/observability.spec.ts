import {
  buyer,
  dealership,
  dealSet,
  draft,
  grant,
  load,
  priceCheck,
  question,
  signIn,
  written,
} from '../../builders/index.js';
import { freePort } from '../../../packages/embedded-postgres/src/free-port.js';
import { leaksIn, secretsOf } from '../../setup/leak-scan.js';
import { TestService } from '../../setup/test-service.js';
import { createTestDatabase } from '../../setup/test-database.js';
import { portOf, proxiedUrl, TcpProxy } from '../../setup/tcp-proxy.js';
import { LIST } from '../../setup/http-call.js';

type Line = Record<string, unknown>;

/** Each secret is a distinct word, so that a single leak is visible. */
const WORLD_SECRETS = {
  name: 'Quillfeather Autohaus',
  phone: '+1 513 555 0199',
  email: 'sales@quillfeather.example',
  website: 'https://quillfeather.example',
  vin: '7FARS6H88SE099917',
  url: 'https://quillfeather.example/stock/99917',
  text: 'Would you accept the Wanderlust Blue one?',
  body: 'Please confirm the fee of the Brambleway office.',
  zip: '59999',
};

describe('the logs and metrics of the service', () => {
  let service: TestService;
  let proxy: TcpProxy;
  let managementUrl: string;
  let requests = 0;
  const credentials: string[] = [];
  let session: { cookie: string };
  let assistant: { token: string };
  let getPath: string;
  let secrets: string[];

  const lines = (): Line[] => service.logLines.map((line) => JSON.parse(line) as Line);
  const requestLines = (): Line[] => lines().filter(({ msg }) => msg === 'request');

  beforeAll(async () => {
    const database = await createTestDatabase();
    proxy = await TcpProxy.start(portOf(database.url));
    const anna = buyer({ changesGranted: true });
    const set = dealSet({ buyerId: anna.id, buyerZip: WORLD_SECRETS.zip });
    const { name, phone, email, website, vin, url } = WORLD_SECRETS;
    const seller = dealership({ name, phone, email, website });
    const row = priceCheck({
      buyerId: anna.id,
      dealSetId: set.id,
      dealershipId: seller.id,
      listing: { year: 2025, make: 'Honda', model: 'CR-V', vin, url },
      unlockedAt: '2026-01-05T00:00:00Z',
      ...written(3_000_000),
    });
    const { record, cookie } = signIn(anna.id);
    await load(database, [
      anna,
      set,
      seller,
      row,
      question({ priceCheckId: row.id, text: WORLD_SECRETS.text }),
      draft({ priceCheckId: row.id, body: WORLD_SECRETS.body }),
      record,
      grant({ buyerId: anna.id }),
    ]);
    const managementPort = await freePort();
    managementUrl = `http://127.0.0.1:${managementPort}`;
    service = await TestService.start({
      database,
      env: {
        DATABASE_URL: proxiedUrl(proxy, database.url),
        LOG_LEVEL: 'trace',
        MANAGEMENT_PORT: String(managementPort),
      },
    });
    session = { cookie };
    assistant = await service.tokenFor(anna.id);
    getPath = `${LIST}/${set.id}`;
    secrets = await secretsOf(database);
    await makeRequestsOfEveryKind();
  });
  afterAll(async () => {
    proxy.heal();
    await service.stop();
    await proxy.stop();
    await service.database.drop();
  });

  async function sendCounted(
    target: string,
    credential?: { cookie: string } | { token: string },
    headers: Record<string, string> = {},
    method = 'GET',
  ): Promise<void> {
    requests++;
    credentials.push(...Object.values<string>(credential ?? {}), ...Object.values(headers));
    await service.send(method, target, credential, headers);
  }

  async function makeRequestsOfEveryKind(): Promise<void> {
    const since = `${LIST}?since=1970-01-01T00:00:00Z`;
    for (const credential of [session, assistant, undefined])
      for (const target of [LIST, since, getPath, `${LIST}/nothing`, `${LIST}?since=yesterday-x`])
        await sendCounted(target, credential);
    const [head = '', claims = '', signature = ''] = assistant.token.split('.');
    await sendCounted(LIST, { token: `${head}.${claims}.${signature.slice(0, -8)}AAAAAAAA` });
    await sendCounted(LIST, await service.tokenFor('not-a-buyer-at-all'));
    await sendCounted(LIST, { token: 'an-opaque-token-of-another-service' });
    await sendCounted(LIST, { cookie: 'a-session-that-was-never-made' });
    await sendCounted(`${LIST}?access_token=${assistant.token}&api_key=key-5f2c7e8810`, undefined, {
      'x-api-key': 'key-0b1d77f3a9c2',
    });
    await sendCounted('/nowhere/to/be-found-8f7a', session);
    await sendCounted(`${LIST}/%zz`, session, {}, 'POST');
    await service.database.query('ALTER TABLE deal_sets.draft RENAME TO draft_away');
    await sendCounted(getPath, session);
    await sendCounted(getPath, assistant);
    await service.database.query('ALTER TABLE deal_sets.draft_away RENAME TO draft');
    await proxy.refuse();
    await Promise.all([sendCounted(LIST, session), sendCounted(getPath, assistant)]);
    await proxy.accept();
  }

  it('contain one line a request, with its id, route, status, code, principal type and duration', () => {
    // The API description, which every test service fetches once, is a request too.
    expect(requestLines()).toHaveLength(requests + 1);
    expect(new Set(requestLines().map(({ id }) => id)).size).toBe(requests + 1);
    for (const line of requestLines()) {
      expect(line['id']).toMatch(/^[0-9a-f-]{36}$/);
      expect(line['durationMs']).toEqual(expect.any(Number));
      expect(line['status']).toEqual(expect.any(Number));
      expect(String(line['route'])).not.toMatch(/since|be-found|nothing|[0-9a-f]{8}-/);
      if (line['status'] !== 200) expect(line['code']).toEqual(expect.any(String));
      expect([undefined, 'session', 'assistant']).toContain(line['principal']);
    }
    const seen = new Set(requestLines().map(({ code }) => code));
    for (const code of [
      'invalid_request',
      'unauthenticated',
      'not_found',
      'internal',
      'auth_unverifiable',
    ])
      expect(seen).toContain(code);
  });

  it('omit health probes from the lines, but not from the metrics', async () => {
    for (const path of ['/health/live', '/health/ready']) {
      expect((await service.send('GET', path, undefined)).status).toBe(200);
    }
    await sendCounted('/health/unknown');
    const routes = requestLines().map(({ route }) => String(route));
    expect(routes.filter((route) => route.startsWith('/health'))).toEqual([]);
    expect(routes.at(-1)).toBe('none');
    const text = await (await fetch(`${managementUrl}/metrics`)).text();
    expect(text).toContain('duration_seconds_count{route="/health/live",status="200"');
  });

  it('report the reason for each 401, and count it', async () => {
    const rejectedLines = requestLines().filter(({ status }) => status === 401);
    const reasons = rejectedLines.map(({ reason }) => reason);
    expect(new Set(reasons)).toEqual(
      new Set(['missing', 'signature', 'claims', 'malformed', 'no_session']),
    );
    expect(requestLines().filter(({ reason }) => reason !== undefined)).toEqual(rejectedLines);
    const text = await (await fetch(`${managementUrl}/metrics`)).text();
    const missing = reasons.filter((reason) => reason === 'missing').length;
    expect(text).toContain(`deal_sets_rejected_credentials_total{reason="missing"} ${missing}\n`);
  });

  it('never contain a secret, at the most verbose level, errors included', () => {
    const log = service.logLines.join('').replaceAll(/"durationMs":[\d.]+/g, '');
    expect(secrets.length).toBeGreaterThan(7);
    const parts = credentials.flatMap((credential) => [credential, ...credential.split('.')]);
    const wanted = [...secrets, ...Object.values(WORLD_SECRETS), ...parts].filter(
      ({ length }) => length > 3,
    );
    expect(leaksIn(log, wanted)).toEqual([]);
    // Texts that would reveal a database: its words, its parameters, its address.
    expect(log).not.toMatch(/SELECT|relation|password|postgres:\/\/|does not exist/i);
  });

  it('provide metrics on the management port, and none on the public one', async () => {
    await service.get(`${LIST}?since=1970-01-01T00:00:00Z`, assistant);
    const text = await (await fetch(`${managementUrl}/metrics`)).text();
    const families = [
      'deal_sets_http_request_duration_seconds',
      'deal_sets_database_connections',
      'deal_sets_database_waiting',
      'deal_sets_build_info',
      'deal_sets_rate_limit_fallbacks_total',
      'deal_sets_key_set_downloads_total',
      'deal_sets_key_set_downloaded_timestamp_seconds',
      'deal_sets_feed_as_of_age_seconds',
      'deal_sets_rollout_failures_total',
      'nodejs_eventloop_lag_p99_seconds',
      'process_resident_memory_bytes',
    ];
    expect(families.filter((name) => !text.includes(`# TYPE ${name} `))).toEqual([]);
    // Without Redis there are no shared counters that could be up or down.
    expect(text).not.toContain('deal_sets_rate_limit_shared_up');
    expect(text).toContain(`,node="${process.versions.node}"} 1\n`);
    const counts = text.split('\n').filter((line) => line.includes('duration_seconds_count{'));
    for (const [status, principal] of [
      ['200', 'session'],
      ['200', 'assistant'],
      ['401', 'none'],
      ['500', 'session'],
      ['503', 'none'],
    ])
      expect(counts.join('\n')).toContain(`status="${status}",principal="${principal}"}`);
    for (const pool of ['sign_in', 'reader', 'assistant'])
      expect(text.includes(`deal_sets_database_connections{pool="${pool}",state="idle"}`)).toBe(
        true,
      );
    expect(
      leaksIn(
        text,
        [...secrets, ...credentials].filter(({ length }) => length > 5),
      ),
    ).toEqual([]);
    expect((await service.send('GET', '/metrics', undefined)).status).toBe(404);
    expect((await service.send('GET', '/metrics', session)).status).toBe(404);
  });
});
