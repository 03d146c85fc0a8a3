import type { Who } from './compare.js';
import { copyButton } from './copy.js';
import { button, el, on, place, type Child } from './dom.js';

/** One request with its response, as they were sent. */
export interface Exchange {
  readonly who: Who;
  readonly url: URL;
  readonly requestHeaders: readonly (readonly [name: string, value: string])[];
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

/** Wraps `fetch` for a client and records the latest exchange of each path. */
export class Recorder {
  /** The latest exchange by path: `/api/v1/deal-sets` or the path of one deal set. */
  readonly #latest = new Map<string, Exchange>();

  constructor(private readonly who: Who) {}

  /** Returns the latest exchange of the path, or undefined before the first. */
  latest(path: string): Exchange | undefined {
    return this.#latest.get(path);
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input, location.href);
    const response = await globalThis.fetch(input, init);
    const copy = response.clone();
    const body = await copy.text().catch(() => '');
    this.#latest.set(url.pathname, {
      who: this.who,
      url,
      requestHeaders: [...new Headers(init?.headers)],
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      body,
    });
    return response;
  };
}

/** Header names in the service's spelling. `fetch` returns every name in lower case. */
const SPELLINGS: Readonly<Record<string, string>> = {
  ratelimit: 'RateLimit',
  'ratelimit-policy': 'RateLimit-Policy',
  'service-api-version': 'Service-API-Version',
  'www-authenticate': 'WWW-Authenticate',
};

const title = (name: string): string =>
  SPELLINGS[name] ?? name.replaceAll(/\b[a-z]/g, (letter) => letter.toUpperCase());

/** Shortens a token, which is longer than the rest of the request. */
const shortToken = (text: string): string =>
  text.replace(
    /Bearer ([\w.-]+)/,
    (_, token: string) => `Bearer ${token.slice(0, 12)}… (${token.length} characters)`,
  );

/** Formats the request as text. The browser adds the session cookie; scripts cannot read it. */
function requestText({ who, url, requestHeaders }: Exchange): string {
  const lines = [
    `GET ${url.pathname}${url.search} HTTP/1.1`,
    `Host: ${url.host}`,
    ...requestHeaders.map(([name, value]) => `${title(name)}: ${shortToken(value)}`),
  ];
  if (who === 'buyer')
    lines.push('Cookie: __Host-session=(sent by the browser, hidden from scripts)');
  return lines.join('\n');
}

/** Formats the response as text, with an indented body. */
function responseText({ status, statusText, headers, body }: Exchange): string {
  const lines = headers.map(([name, value]) => `${title(name)}: ${value}`);
  return [`HTTP/1.1 ${status} ${statusText}`, ...lines, '', formatted(body)].join('\n');
}

function formatted(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Returns a `curl` command that sends the same request. */
function curlLine({ who, url, requestHeaders }: Exchange): string {
  const [, token] = requestHeaders.find(([name]) => name === 'authorization') ?? [];
  const credential =
    who === 'assistant'
      ? `-H 'Authorization: ${token ?? 'Bearer <ACCESS_TOKEN>'}'`
      : `-H 'Cookie: __Host-session=<SESSION>'`;
  return `curl -i ${credential} '${url.href}'`;
}

/** Opens a dialog with an exchange: the response, the request and the `curl` command. */
export function showExchange(exchange: Exchange | undefined): void {
  if (!exchange) return;
  const dialog = el(
    'dialog.exchange',
    { 'aria-labelledby': 'exchange-title' },
    el(
      'header',
      el(
        'h2',
        { id: 'exchange-title' },
        exchange.who === 'buyer' ? 'Her request' : 'The assistant’s request',
      ),
      button('Close', () => dialog.close(), { class: 'quiet' }),
    ),
    titled('Response (body formatted)', responseText(exchange)),
    titled('Request', requestText(exchange)),
    curlPart(exchange),
  );
  on(dialog, { close: () => dialog.remove() });
  place('dialogs').append(dialog);
  dialog.showModal();
}

function curlPart(exchange: Exchange): Child {
  const line = curlLine(exchange);
  return [
    el('div.curl-head', el('h3', 'For a terminal'), copyButton(line)),
    code('For a terminal', shortToken(line)),
    exchange.who === 'buyer' &&
      el(
        'p.note',
        'Her cookie is HttpOnly, so this page cannot fill it in. ',
        el('a', { href: '/curl' }, '/curl'),
        ' has commands with a valid cookie.',
      ),
  ];
}

const titled = (name: string, text: string): Child => [el('h3', name), code(name, text)];

const code = (name: string, text: string): Child =>
  el('pre', { tabindex: 0, role: 'region', 'aria-label': name }, el('code', text));
