import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { DealSetResponse } from '@deal-sets/service';
import { decodeJwt } from 'jose';
import { approvalPage } from '../src/approval/approval-page.js';
import { ConsentExamples } from '../src/approval/consent-example.js';
import {
  DEMO_BUYER_ID,
  DEMO_CLIENTS,
  DEMO_SETS,
  OTHER_BUYER_ID,
} from '../src/demo-world/demo-people.js';
import {
  AuthorizationRequest,
  REDIRECT_URL,
  register,
  registeredClient,
  DemoService,
  type CookieClient,
  type Page,
} from './demo-service.js';

const HOSTED = 'https://assistant.example/client.json';
const LOCAL = 'https://local.example/client.json';
const SET = `/api/v1/deal-sets/${DEMO_SETS.ready}`;

/** Client metadata documents by their address. */
const documents: Readonly<Record<string, object>> = {
  [HOSTED]: {
    client_id: HOSTED,
    client_name: 'Hosted',
    redirect_uris: ['https://assistant.example/back'],
  },
  [LOCAL]: { client_id: LOCAL, client_name: 'Local', redirect_uris: [REDIRECT_URL] },
};
/** The addresses of the documents that were requested. */
const fetched: string[] = [];

let service: DemoService;
beforeAll(async () => {
  service = await DemoService.start({
    fetch: (input) => {
      const url = input instanceof Request ? input.url : String(input);
      fetched.push(url);
      const document = documents[url];
      return Promise.resolve(
        document
          ? Response.json({ token_endpoint_auth_method: 'none', ...document })
          : new Response('', { status: 404 }),
      );
    },
  });
});
afterAll(() => service.stop());

/** Opens the approval page of a request in a browser in which the demo buyer is signed in. */
async function requestApproval(
  asking: AuthorizationRequest,
  more: Record<string, string | undefined> = {},
): Promise<{ buyer: CookieClient; page: Page }> {
  const buyer = service.cookieClient();
  const { url } = await buyer.get(asking.address(more));
  return { buyer, page: await buyer.signIn(DEMO_BUYER_ID, url.pathname) };
}

const answerTo = (
  { buyer, page }: { buyer: CookieClient; page: Page },
  answer: string,
  headers?: Record<string, string>,
): Promise<Page> => buyer.post(page.url.pathname, { buyer: DEMO_BUYER_ID, answer }, headers);

const liveGrants = (clientId: string) =>
  service.database.query<{ isHosted: boolean; scopes: string[] }>(
    `SELECT is_hosted AS "isHosted", scopes FROM deal_sets.assistant_grant
     WHERE client_id = $1 AND revoked_at IS NULL`,
    [clientId],
  );

describe('the approval page', () => {
  /** Returns the cells of the example's rows. */
  const example = ({ text }: Page): string[][] =>
    [...text.matchAll(/<tr>(.*?)<\/tr>/gs)].slice(1).map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, cell = '']) =>
        cell
          .replaceAll(/<[^>]*>/g, '')
          .replaceAll(/\s+/g, ' ')
          .trim(),
      ),
    );

  it('shows the buyer’s best offer twice, as the buyer sees it and as the assistant will get it', async () => {
    const clientId = await registeredClient(service);
    const asking = new AuthorizationRequest(service, clientId);
    const opened = await requestApproval(asking);
    const shown = example(opened.page);
    expect(shown.map(([name]) => name)).toEqual([
      'The car you want',
      'Best offer',
      'Price with taxes and fees',
      'Distance',
      'Your ZIP code',
      'A message',
    ]);
    expect(shown.map(([, hers]) => hers)).toEqual([
      '2026 Honda CR-V EX-L',
      expect.stringContaining('Canyon River Blue'),
      '$39,870',
      '10 to 25 miles',
      '45202',
      expect.stringContaining('Bexley Honda'),
    ]);
    // What the page promises is what the assistant gets.
    const { left } = await answerTo(opened, 'approve');
    const { access_token: token } = await asking.tokens(left!);
    const response = await fetch(`${service.url}${SET}`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const { data } = (await response.json()) as DealSetResponse;
    expect(shown.map((row) => row[2])).toEqual([
      `${data.car.year} ${data.car.make} ${data.car.model}`,
      data.hero?.label,
      '$39,870',
      'not shared',
      'not shared',
      'not shared',
    ]);
    // The page's read as the assistant was not counted: this is the first of its limit.
    const [, limit] = /q=(\d+)/.exec(response.headers.get('ratelimit-policy') ?? '') ?? [];
    expect(response.headers.get('ratelimit')).toContain(`r=${Number(limit) - 1};`);
  });

  it('shows a made-up offer, marked as such, to a buyer without an offer', async () => {
    const examples = service.demo.service.app.get(ConsentExamples, { strict: false });
    const none = await examples.forBuyer('b0000000-0000-4000-8000-00000000ffff', {
      clientId: 'a',
      isHosted: false,
    });
    expect(none.isMadeUp).toBe(true);
    const asking = { clientId: 'a', name: 'A', redirectUri: REDIRECT_URL, isHosted: false };
    const page = approvalPage('u', { id: DEMO_BUYER_ID, name: 'Anna' }, asking, none).source;
    expect(page).toContain('this example is <strong>made up</strong>');
  });

  it('names the assistant and the signed-in buyer, without any script', async () => {
    const clientId = await registeredClient(service);
    const { page } = await requestApproval(new AuthorizationRequest(service, clientId));
    expect(page.text).toContain('Registered &lt;b&gt;helper&lt;/b&gt;');
    expect(page.text).toContain('<strong>Anna Keller</strong>');
    expect(page.text).toContain('(the name it gave itself) wants to read your price requests');
    expect(page.text).not.toMatch(/<script|<img|style=| on\w+=/i);
    expect(page.headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/]+=*'; form-action 'self' http:\/\/127\.0\.0\.1:9; base-uri 'none'; frame-ancestors 'none'$/,
    );
  });

  it('writes the grant on approval, which opens REST and MCP', async () => {
    const asking = new AuthorizationRequest(service, DEMO_CLIENTS.approved);
    const { left } = await answerTo(await requestApproval(asking), 'approve');
    expect(left?.searchParams.get('state')).toBe('a-state');
    expect(left?.searchParams.get('iss')).toBe(service.url);
    const { access_token: token } = await asking.tokens(left!);
    expect(await liveGrants(DEMO_CLIENTS.approved)).toEqual([
      { isHosted: false, scopes: ['offers:read'] },
    ]);
    expect(await service.statusOf(token)).toBe(200);
  });

  it('writes nothing when the buyer declines, or when the form comes from another origin', async () => {
    const clientId = await registeredClient(service);
    const asking = await requestApproval(new AuthorizationRequest(service, clientId));
    for (const headers of [{}, { origin: 'https://evil.example' }, { origin: 'null' }])
      expect((await answerTo(asking, 'approve', headers as never)).status).toBe(403);
    const { left } = await answerTo(asking, 'refuse');
    expect(left?.searchParams.get('error')).toBe('access_denied');
    expect(await liveGrants(clientId)).toEqual([]);
  });

  it('rejects a form from another browser, and one without the session that was shown', async () => {
    const clientId = await registeredClient(service);
    const { buyer, page } = await requestApproval(new AuthorizationRequest(service, clientId));
    const browser = service.cookieClient();
    await browser.signIn(DEMO_BUYER_ID);
    expect((await answerTo({ buyer: browser, page }, 'approve')).status).toBe(400);
    await buyer.signIn(OTHER_BUYER_ID);
    const other = await answerTo({ buyer, page }, 'approve');
    expect([other.left, other.text]).toEqual([undefined, expect.stringContaining('Bea Ortiz')]);
    await buyer.post('/sign-out', {});
    const none = await answerTo({ buyer, page }, 'approve');
    expect([none.left, none.text]).toEqual([undefined, expect.stringContaining('Sign in as')]);
    expect(await liveGrants(clientId)).toEqual([]);
  });

  it('lists each approval with a name, what it may read, and the date', async () => {
    const buyer = service.cookieClient();
    const { text } = await buyer.signIn(DEMO_BUYER_ID, '/approvals');
    const approvals = text.split('<section class="approval">').slice(1);
    const approval = (name: string): string | undefined =>
      approvals.find((section) => section.includes(`<strong>${name}</strong>`));
    expect(approval('Site Concierge')).toContain('It reads your price requests');
    expect(approval('Form Filler')).toContain('It cannot read your price requests.');
    const date =
      /approved\s+(January|February|March|April|May|June|July|August|September|October|November|December) \d{1,2}, \d{4}</;
    for (const section of approvals) expect(section).toMatch(date);
  });

  it('revokes only the buyer’s own approvals', async () => {
    const clientId = await registeredClient(service);
    const asking = new AuthorizationRequest(service, clientId);
    const { left } = await answerTo(await requestApproval(asking), 'approve');
    const { access_token: token } = await asking.tokens(left!);
    const [row] = await service.database.query<{ id: string }>(
      'SELECT id FROM deal_sets.assistant_grant WHERE client_id = $1',
      [clientId],
    );
    for (const [buyerId, remaining] of [
      [OTHER_BUYER_ID, 1],
      [DEMO_BUYER_ID, 0],
    ] as const) {
      const buyer = service.cookieClient();
      await buyer.signIn(buyerId);
      await buyer.post('/approvals/revoke', { id: row!.id });
      expect(await liveGrants(clientId)).toHaveLength(remaining);
    }
    expect(decodeJwt(token).sub).toBe(DEMO_BUYER_ID);
    expect(await service.statusOf(token)).toBe(401);
  });
});

describe('a new approval after a revocation', () => {
  const clientId = DEMO_CLIENTS.approved;
  /** Approves the assistant, and returns its tokens and the request that led to them. */
  async function approve() {
    const asking = new AuthorizationRequest(service, clientId);
    const { left } = await answerTo(await requestApproval(asking), 'approve');
    return { asking, tokens: await asking.tokens(left!) };
  }
  const approvedAt = (ago: string) =>
    service.database.query(
      `UPDATE deal_sets.assistant_grant SET granted_at = now() - interval '${ago}'
       WHERE client_id = $1 AND revoked_at IS NULL`,
      [clientId],
    );

  it('leaves the earlier tokens rejected; new tokens and their refresh work', async () => {
    const now = Date.now.bind(Date);
    const past = jest.spyOn(Date, 'now').mockImplementation(() => now() - 120_000);
    const first = await approve().finally(() => past.mockRestore());
    await approvedAt('1 hour');
    const old = first.tokens.access_token;
    expect(await service.statusOf(old)).toBe(200);

    const buyer = service.cookieClient();
    const { text } = await buyer.signIn(DEMO_BUYER_ID, '/approvals');
    const row = text.split('<section').find((section) => section.includes(clientId));
    await buyer.post('/approvals/revoke', { id: /name="id" value="([^"]+)"/.exec(row!)![1]! });
    expect(await service.statusOf(old)).toBe(401);

    const second = await approve();
    expect(await service.statusOf(old)).toBe(401);
    await expect(first.asking.refresh(first.tokens.refresh_token)).rejects.toThrow('invalid_grant');
    expect(await service.statusOf(second.tokens.access_token)).toBe(200);
    const refreshed = await second.asking.refresh(second.tokens.refresh_token);
    expect(await service.statusOf(refreshed.access_token)).toBe(200);
  });

  it('is not shown once it has expired, and is shown with its end before', async () => {
    await approve();
    const expiring = (time: string) =>
      service.database.query(
        'UPDATE deal_sets.assistant_grant SET expires_at = $1 WHERE client_id = $2 AND revoked_at IS NULL',
        [time, clientId],
      );
    const buyer = service.cookieClient();
    await buyer.signIn(DEMO_BUYER_ID, '/approvals');
    await expiring('2998-05-01T00:00:00Z');
    expect((await buyer.get('/approvals')).text).toContain(', until May 1, 2998</span');
    await expiring('2026-05-01T00:00:00Z');
    expect((await buyer.get('/approvals')).text).not.toContain(clientId);
    await approve();
    expect((await buyer.get('/approvals')).text).toContain(clientId);
  });
});

describe('the authorization server', () => {
  it('registers only loopback addresses', async () => {
    for (const address of ['https://evil.example/back', 'http://127.0.0.1.evil.example/back']) {
      const response = await register(service, { redirect_uris: [REDIRECT_URL, address] });
      expect([response.status, await response.json()]).toMatchObject([
        400,
        {
          error: 'invalid_redirect_uri',
          error_description: expect.stringContaining('127.0.0.1') as string,
        },
      ]);
    }
  });

  it.each([
    [
      'without PKCE',
      { code_challenge: undefined, code_challenge_method: undefined },
      'invalid_request',
    ],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for another resource', { resource: 'https://other.example/mcp' }, 'invalid_target'],
  ])('rejects a request %s', async (_name, more, error) => {
    const asking = new AuthorizationRequest(service, DEMO_CLIENTS.approved);
    const { left } = await service.cookieClient().get(asking.address(more));
    expect(left?.searchParams.get('error')).toBe(error);
  });

  it('rejects a request for the path of MCP with a slash, which is another resource', async () => {
    const asking = new AuthorizationRequest(service, DEMO_CLIENTS.approved);
    const { left } = await service
      .cookieClient()
      .get(asking.address({ resource: `${service.url}/mcp/` }));
    expect(left?.searchParams.get('error')).toBe('invalid_target');
  });

  it('recognizes a registered client after a restart', async () => {
    const stateFile = path.join(mkdtempSync(path.join(tmpdir(), 'deal-sets-demo-')), 'state.json');
    const first = await DemoService.start({ stateFile });
    const clientId = await registeredClient(first);
    await first.stop();
    const second = await DemoService.start({ stateFile });
    const asking = new AuthorizationRequest(second, clientId);
    const { text } = await second.cookieClient().get(asking.address());
    expect(text).toContain('Sign in to answer Registered');
    await second.stop();
    expect(statSync(stateFile).mode & 0o777).toBe(0o600);
    rmSync(path.dirname(stateFile), { recursive: true });
  });

  it('counts a client as hosted unless all its addresses are on this machine', async () => {
    for (const [clientId, back, isHosted] of [
      [HOSTED, 'https://assistant.example/back', true],
      [LOCAL, REDIRECT_URL, false],
    ] as const) {
      const asking = new AuthorizationRequest(service, clientId, back);
      const { left } = await answerTo(await requestApproval(asking), 'approve');
      expect(await liveGrants(clientId)).toMatchObject([{ isHosted }]);
      const { access_token: token } = await asking.tokens(left!);
      const response = await fetch(service.url + SET, {
        headers: { authorization: `Bearer ${token}` },
      });
      // The token's audience is the MCP endpoint; REST accepts it as well.
      expect((await response.text()).includes('isVerifiedPartner')).toBe(!isHosted);
    }
  });

  it.each([
    ['http://127.0.0.1:9/client.json', 'not https'],
    [`https://assistant.example/${'a'.repeat(256)}`, 'longer than the longest id'],
    ['https://user@assistant.example/client.json', 'with a user'],
  ])('fetches no client metadata document from %s, %s', async (clientId) => {
    const before = fetched.length;
    const { status } = await service
      .cookieClient()
      .get(new AuthorizationRequest(service, clientId).address());
    expect(status).toBe(400);
    expect(fetched).toHaveLength(before);
  });

  it('issues a token for the API itself when the client requests that resource or none', async () => {
    for (const resource of [undefined, service.url, `${service.url}/`]) {
      const asking = new AuthorizationRequest(service, DEMO_CLIENTS.approved);
      const opened = await requestApproval(asking, { resource, scope: undefined });
      const { left } = await answerTo(opened, 'approve');
      const { access_token: token } = await asking.tokens(left!);
      const aud = resource ?? service.url;
      expect(decodeJwt(token)).toMatchObject({ aud, scope: 'offers:read' });
      expect(await service.statusOf(token)).toBe(200);
    }
  });
});
