import { call, type HttpResponse } from '../../../test/setup/http-call.js';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Page extends HttpResponse {
  readonly url: URL;
  /** The address in another origin that the client was sent to last, which it does not open. */
  readonly left?: URL;
}

/** An HTTP client for pages without scripts: keeps cookies by path, follows redirects, sends forms with their origin. */
export class CookieClient {
  readonly #cookies: Cookie[] = [];

  constructor(readonly origin: string) {}

  get(address: string | URL): Promise<Page> {
    return this.#follow('GET', new URL(address, this.origin));
  }

  post(
    path: string,
    form: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Page> {
    const body = new URLSearchParams(form).toString();
    return this.#follow('POST', new URL(path, this.origin), body, headers);
  }

  /** Signs in on its page, which then leads to the path. */
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
        ...{ host: url.host, accept: 'text/html', cookie },
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
    const held = this.#cookies.findIndex((one) => one.name === name && one.path === path);
    if (held !== -1) this.#cookies.splice(held, 1);
    if (value !== '') this.#cookies.push({ name, value, path });
  }
}
