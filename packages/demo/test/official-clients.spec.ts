import { spawn } from 'node:child_process';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { DEMO_BUYER_ID, DEMO_CLIENTS } from '../src/demo-world/demo-people.js';
import { DemoService, REDIRECT_URL } from './demo-service.js';

let service: DemoService;
beforeAll(async () => {
  service = await DemoService.start();
});
afterAll(() => service.stop());

interface Step {
  readonly authorize: string;
  readonly clientId: string;
  readonly version: string;
  readonly toolNames: readonly string[];
  readonly dealSetId: string;
  readonly set: { readonly content: readonly { readonly text: string }[] };
  readonly missing: { readonly isError: boolean };
  readonly tokens: { readonly access_token: string; readonly refresh_token: string };
  readonly error: string;
  readonly asksAgain: boolean;
}

const CLIENT = path.resolve(__dirname, 'authorize-with-client.mjs');

describe('an official client that is given only the address', () => {
  it.each([
    ['modern', '2026-07-28'],
    ['legacy', '2025-11-25'],
    ['v1', '2025-11-25'],
  ])(
    'is rejected, registers, is approved in a browser, reads, and is rejected once revoked: %s',
    async (kind, version) => {
      // The client runs in a separate process, because it consists of ES modules.
      const client = spawn(process.execPath, [CLIENT, kind, `${service.url}/mcp`, REDIRECT_URL], {
        env: childEnvironment(),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      const lines = createInterface({ input: client.stdout })[Symbol.asyncIterator]();
      const step = async (): Promise<Step> =>
        JSON.parse(String((await lines.next()).value)) as Step;
      try {
        const { authorize, clientId } = await step();
        const authorizeUrl = new URL(authorize);
        expect(authorizeUrl.origin + authorizeUrl.pathname).toBe(`${service.url}/oauth/authorize`);
        expect(Object.fromEntries(authorizeUrl.searchParams)).toMatchObject({
          client_id: clientId,
          code_challenge_method: 'S256',
          resource: `${service.url}/mcp`,
        });

        const buyer = service.cookieClient();
        const { url, text } = await buyer.get(authorizeUrl);
        expect(text).toContain('Sign in as');
        const page = await buyer.signIn(DEMO_BUYER_ID, url.pathname);
        expect(page.text).toContain(`<strong>Test ${kind}</strong>`);
        const answer = await buyer.post(url.pathname, {
          buyer: DEMO_BUYER_ID,
          answer: 'approve',
        });
        expect(answer.left?.href).toContain(REDIRECT_URL);
        client.stdin.write(`${answer.left!.href}\n`);

        const { tokens, set, dealSetId, ...seen } = await step();
        expect(seen).toMatchObject({
          version,
          toolNames: ['list_price_requests', 'get_deal_set'],
          missing: { isError: true },
        });
        const rest = await fetch(`${service.url}/api/v1/deal-sets/${dealSetId}`, {
          headers: { authorization: `Bearer ${tokens.access_token}` },
        });
        expect(set.content[0]!.text).toBe(await rest.text());
        expect(decodeProtectedHeader(tokens.access_token).typ).toBe('at+jwt');
        expect(decodeJwt(tokens.access_token)).toMatchObject({
          iss: service.url,
          aud: `${service.url}/mcp`,
          sub: DEMO_BUYER_ID,
          client_id: clientId,
          scope: expect.stringContaining('offers:read') as string,
        });

        const approvals = await buyer.get('/approvals');
        const row = approvals.text.split('<section').find((section) => section.includes(clientId));
        const id = /name="id" value="([^"]+)"/.exec(row ?? '')![1]!;
        const after = await buyer.post('/approvals/revoke', { id });
        expect(after.text).not.toContain(clientId);
        expect(after.text).toContain(DEMO_CLIENTS.approved);

        expect(await service.statusOf(tokens.access_token, '/mcp', 'POST')).toBe(401);
        const refresh = await fetch(`${service.url}/oauth/token`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'refresh_token',
            refresh_token: tokens.refresh_token,
            client_id: clientId,
          }),
        });
        expect([refresh.status, await refresh.json()]).toMatchObject([
          400,
          { error: 'invalid_grant' },
        ]);
        client.stdin.write('again\n');
        expect(await step()).toEqual({ error: 'UnauthorizedError', asksAgain: true });
      } finally {
        client.kill('SIGKILL');
      }
    },
    60_000,
  );
});
