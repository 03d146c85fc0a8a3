import { request } from 'node:http';

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly path: string;
}

export interface Page {
  readonly url: URL;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly text: string;
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

  async #follow(
    method: string,
    url: URL,
    body?: string,
    headers: Record<string, string> = { origin: this.origin },
  ): Promise<Page> {
    const page = await this.#send(method, url, body, headers);
    for (const line of [page.headers['set-cookie'] ?? []].flat()) this.#keep(line);
    const { location } = page.headers;
    if (page.status < 300 || page.status > 399 || typeof location !== 'string') return page;
    const next = new URL(location, url);
    return next.origin === this.origin ? this.#follow('GET', next) : { ...page, left: next };
  }

  #send(
    method: string,
    url: URL,
    body: string | undefined,
    headers: Record<string, string>,
  ): Promise<Page> {
    const cookie = this.#cookies
      .filter(({ path }) => url.pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    return new Promise((resolve, reject) => {
      const call = request(url, {
        method,
        agent: false,
        headers: {
          accept: 'text/html',
          cookie,
          ...(body !== undefined && {
            'content-type': 'application/x-www-form-urlencoded',
            ...headers,
          }),
        },
      });
      call.once('error', reject).once('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.once('end', () =>
          resolve({ url, status: response.statusCode ?? 0, headers: response.headers, text }),
        );
      });
      call.end(body);
    });
  }

  #keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    const path = /; path=([^;]+)/i.exec(line)?.[1] ?? '/';
    const held = this.#cookies.findIndex((one) => one.name === name && one.path === path);
    if (held !== -1) this.#cookies.splice(held, 1);
    if (value !== '') this.#cookies.push({ name, value, path });
  }
}
