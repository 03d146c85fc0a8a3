import { createHash, randomBytes } from 'node:crypto';
import { call, type HttpResponse } from '../../../test/setup/http-call.js';
import { createTestDatabase, type TestDatabase } from '../../../test/setup/test-database.js';
import { freePort } from '../../embedded-postgres/src/free-port.js';
import { startDemo, type DemoOptions, type RunningDemo } from '../src/start-demo.js';

/** Runs the whole demo in this process, on its own database. */
export class DemoService {
  private constructor(
    readonly demo: RunningDemo,
    readonly database: TestDatabase,
    /** The port on which the demo listens. */
    readonly port: number,
  ) {}

  static async start(
    options: DemoOptions = {},
    settings: NodeJS.ProcessEnv = {},
  ): Promise<DemoService> {
    const database = await createTestDatabase();
    const port = await freePort();
    const env = {
      ...settings,
      PORT: String(port),
      DATABASE_URL: 'postgres://another.example/live',
      // Tests send far more requests than a person does.
      READ_RATE_LIMIT: '1000000',
      // TypeORM's module warns of a second demo in the same process.
      LOG_LEVEL: 'error',
    };
    const demo = await startDemo(env, { databaseUrl: database.url, ...options });
    return new DemoService(demo, database, port);
  }

  get url(): string {
    return this.demo.publicUrl;
  }

  cookieClient(): CookieClient {
    return new CookieClient(this.url);
  }

  /** Returns the status of a call with the token, by default to the list. */
  async statusOf(token: string, target = '/api/v1/deal-sets', method = 'GET'): Promise<number> {
    const { status } = await fetch(this.url + target, {
      method,
      headers: { authorization: `Bearer ${token}`, connection: 'close' },
    });
    return status;
  }

  async stop(): Promise<void> {
    await this.demo.service.stop();
    await this.database.drop();
  }
}

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

/** The page at the end of a chain of redirects. */
export interface Page extends HttpResponse {
  readonly url: URL;
  /** The target of a redirect to another origin. The client does not follow such a redirect. */
  readonly left?: URL;
}

/**
 * An HTTP client for pages without scripts: it keeps cookies by path, follows redirects, and sends
 * the origin with forms.
 */
export class CookieClient {
  readonly #cookies: Cookie[] = [];

  constructor(readonly origin: string) {}

  get(address: string | URL): Promise<Page> {
    return this.#follow('GET', new URL(address, this.origin));
  }

  post(
    path: string,
    fields: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Page> {
    const body = new URLSearchParams(fields).toString();
    return this.#follow('POST', new URL(path, this.origin), body, headers);
  }

  /** Signs in on the sign-in page, which then redirects to the path. */
  signIn(buyer: string, to = '/approvals'): Promise<Page> {
    return this.post('/sign-in', { buyer, to });
  }

  async #follow(
    method: string,
    url: URL,
    body?: string,
    headers: Record<string, string> = { origin: this.origin },
  ): Promise<Page> {
    const cookie = this.#cookies
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const type = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await call(Number(url.port), url.pathname + url.search, {
      method,
      headers: {
        host: url.host,
        accept: 'text/html',
        cookie,
        ...(body !== undefined && { ...type, ...headers }),
      },
      ...(body !== undefined && { body }),
    });
    const page = { ...answer, url };
    for (const line of [page.headers['set-cookie'] ?? []].flat()) this.#keep(line);
    const { location } = page.headers;
    if (page.status < 300 || page.status > 399 || typeof location !== 'string') return page;
    const next = new URL(location, url);
    return next.origin === this.origin ? this.#follow('GET', next) : { ...page, left: next };
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const known = this.#cookies.findIndex((cookie) => cookie.name === name && cookie.path === path);
    if (known !== -1) this.#cookies.splice(known, 1);
    if (value !== '') this.#cookies.push({ name, value, path });
  }
}

/** The redirect address of the test clients. Nothing listens there. */
export const REDIRECT_URL = 'http://127.0.0.1:9/callback';

/** An authorization request of an assistant, and the steps that follow the request. */
export class AuthorizationRequest {
  readonly #verifier = randomBytes(32).toString('base64url');

  constructor(
    private readonly service: DemoService,
    readonly clientId: string,
    private readonly redirectUrl = REDIRECT_URL,
  ) {}

  /**
   * Returns the address of the request.
   *
   * @param more parameters to add or replace; a parameter that is undefined is left out.
   */
  address(more: Record<string, string | undefined> = {}): URL {
    const address = new URL('/oauth/authorize', this.service.url);
    const parameters: Record<string, string | undefined> = {
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUrl,
      scope: 'offers:read',
      resource: `${this.service.url}/mcp`,
      state: 'a-state',
      code_challenge: createHash('sha256').update(this.#verifier).digest('base64url'),
      code_challenge_method: 'S256',
      ...more,
    };
    for (const [name, value] of Object.entries(parameters)) {
      if (value !== undefined) address.searchParams.set(name, value);
    }
    return address;
  }

  /** Exchanges the code in the redirect address for tokens. */
  tokens(back: URL): Promise<Tokens> {
    return this.#request({
      grant_type: 'authorization_code',
      code: back.searchParams.get('code') ?? '',
      redirect_uri: this.redirectUrl,
      code_verifier: this.#verifier,
    });
  }

  /** Exchanges a refresh token for new tokens. */
  refresh(refreshToken = ''): Promise<Tokens> {
    return this.#request({ grant_type: 'refresh_token', refresh_token: refreshToken });
  }

  async #request(parameters: Record<string, string>): Promise<Tokens> {
    const response = await fetch(`${this.service.url}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...parameters, client_id: this.clientId }),
    });
    if (!response.ok) throw new Error(await response.text());
    return (await response.json()) as Tokens;
  }
}

/** The tokens that the authorization server issues. */
interface Tokens {
  readonly access_token: string;
  /** Absent unless the client is registered for refresh tokens. */
  readonly refresh_token?: string;
}

/** Registers a client and returns the response. */
export function register(service: DemoService, metadata: object): Promise<Response> {
  return fetch(`${service.url}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      client_name: 'Registered <b>helper</b>',
      redirect_uris: [REDIRECT_URL],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      ...metadata,
    }),
  });
}

/** Registers a client and returns its id. */
export async function registeredClient(service: DemoService): Promise<string> {
  const response = await register(service, {});
  return ((await response.json()) as { client_id: string }).client_id;
}
