import { call } from '../../../test/setup/http-call.js';
import { DemoService } from './demo-service.js';

let service: DemoService;
let port: number;
let cookie: string;
beforeAll(async () => {
  service = await DemoService.start();
  port = Number(new URL(service.url).port);
  cookie = `__Host-session=${service.demo.world.cookieValue}`;
});
afterAll(() => service.stop());

const read = (path: string, headers: Record<string, string> = {}) =>
  call(port, path, { headers: { host: new URL(service.url).host, ...headers } });
const post = (
  action: string,
  headers: Record<string, string>,
  dealSetId = '5e000000-0000-4000-8000-000000000001',
) =>
  call(port, `/page/actions/${action}`, {
    method: 'POST',
    headers: {
      host: new URL(service.url).host,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    },
    body: `dealSetId=${dealSetId}`,
  });

const signedIn = (): Record<string, string> => ({ origin: service.url, cookie });

describe('the files of the page', () => {
  it('are served with a policy that allows no other origin and no inline script but the import map', async () => {
    const page = await read('/');
    expect(page.status).toBe(200);
    const policy = String(page.headers['content-security-policy']);
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'self' 'sha256-[\w+/=]+'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$/,
    );
    expect(page.text).not.toMatch(/https?:\/\/|\sstyle=|\son\w+=/);
  });

  it('are limited to a fixed list', async () => {
    expect(await read('/page/app.js')).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/javascript; charset=utf-8' },
    });
    expect(await read('/page/client/index.js')).toMatchObject({ status: 200 });
    for (const path of ['/page/index.html.ts', '/page/tsconfig.json', '/page/..%2fpackage.json']) {
      expect([path, (await read(path)).status]).toEqual([path, 404]);
    }
  });

  it('redirect from every name of this machine to the configured one', async () => {
    for (const name of ['127.0.0.1', '[::1]']) {
      expect(await read('/', { host: `${name}:${port}` })).toMatchObject({
        status: 302,
        headers: { location: `${service.url}/` },
      });
    }
  });

  it('are rejected under another host name', async () => {
    for (const host of ['rebound.example', 'localhost.example', '127.0.0.1@rebound.example']) {
      expect([host, (await read('/', { host })).status]).toEqual([host, 403]);
    }
    for (const path of ['/page/state', '/approvals'])
      expect((await read(path, { host: 'rebound.example', cookie })).status).toBe(403);
  });
});

describe('behind a proxy with an https address', () => {
  const PUBLIC_URL = 'https://x-3000.example';
  let forwarded: DemoService;
  let localPort: number;
  beforeAll(async () => {
    forwarded = await DemoService.start({}, { PUBLIC_URL });
    localPort = forwarded.port;
  });
  afterAll(() => forwarded.stop());

  it.each(['x-3000.example', 'localhost:3000'])(
    'serves the page and its forms when the proxy sends Host: %s',
    async (host) => {
      expect(await call(localPort, '/', { headers: { host } })).toMatchObject({ status: 200 });
      const signIn = (origin: string) =>
        call(localPort, '/sign-in', {
          method: 'POST',
          headers: {
            host,
            origin,
            accept: 'text/html',
            'content-type': 'application/x-www-form-urlencoded',
          },
          body: 'buyer=b0000000-0000-4000-8000-000000000001',
        });
      expect(await signIn(PUBLIC_URL)).toMatchObject({ status: 303, headers: { location: '/' } });
      const refused = await signIn('https://evil.example');
      expect([refused.status, refused.text]).toEqual([
        403,
        expect.stringContaining('start the demo with that address as PUBLIC_URL'),
      ]);
    },
  );

  it('begins an approval at the public address, and serves MCP there', async () => {
    const headers = { host: 'localhost:3000' };
    const cookie = `__Host-session=${forwarded.demo.world.cookieValue}`;
    const connect = await call(localPort, '/page/connect', { headers: { ...headers, cookie } });
    const authorize = await call(localPort, String(connect.headers['location']), { headers });
    expect(authorize.headers['location']).toMatch(/^\/approve\//);
    const mcp = await call(localPort, '/mcp', {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    });
    expect([mcp.status, mcp.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining(`${PUBLIC_URL}/.well-known/oauth-protected-resource/mcp`),
    ]);
  });

  it('rejects every other host', async () => {
    const rebound = await call(localPort, '/', { headers: { host: 'rebound.example' } });
    expect(rebound.status).toBe(403);
  });
});

describe('the endpoint that identifies the buyer', () => {
  const state = async (headers: Record<string, string>) =>
    JSON.parse((await read('/page/state', headers)).text) as {
      buyer: unknown;
      assistant: { accessToken: string | null };
    };

  it('returns neither a buyer nor a token without a session', async () => {
    const { buyer, assistant } = await state({});
    expect([buyer, assistant.accessToken]).toEqual([null, null]);
  });

  it('returns the buyer, with a token that ends with the approval', async () => {
    const token = (await state({ cookie })).assistant.accessToken ?? '';
    expect(await service.statusOf(token)).toBe(200);
    await post('revoke', signedIn());
    expect(await service.statusOf(token)).toBe(401);
    expect((await state({ cookie })).assistant.accessToken).toBeNull();
    await post('restore', signedIn());
    expect(await service.statusOf(token)).toBe(200);
  });
});

describe('the control strip', () => {
  it('rejects another origin, and its own origin without a session', async () => {
    for (const headers of [{ origin: 'https://evil.example' }, {}] as Record<string, string>[])
      expect(await post('price', { ...headers, cookie })).toMatchObject({ status: 403 });
    expect(await post('price', { origin: service.url })).toMatchObject({ status: 401 });
  });

  it('rejects other actions, and actions on the deal set of another buyer', async () => {
    expect(await post('constructor', signedIn())).toMatchObject({ status: 404 });
    const others = await post('end', signedIn(), '5e000000-0000-4000-8000-000000000004');
    expect(JSON.parse(others.text)).toMatchObject({ isDone: false });
  });

  it('reports why an action is not possible', async () => {
    const results: { isDone: boolean; message: string }[] = [];
    for (let times = 0; times < 4; times++) {
      results.push(JSON.parse((await post('unlock', signedIn())).text) as (typeof results)[number]);
    }
    expect(results.filter(({ isDone }) => isDone)).toHaveLength(2);
    expect(results.at(-1)?.message).toContain('Every dealership with a price is unlocked');
  });
});
