import { request, type Agent, type OutgoingHttpHeaders } from 'node:http';

/** Path of the list endpoint. */
export const LIST = '/api/v1/deal-sets';

/** A response as it was received. */
export interface HttpResponse {
  readonly status: number;
  /** Lower-case names; repeated headers joined as Node joins them. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** `error.code` of the body; undefined on a success. */
  readonly code: string | undefined;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Default: a new connection. */
  readonly agent?: Agent;
}

/** Headers of a request with this access token. */
export function bearer(token: string): { readonly headers: { readonly authorization: string } } {
  return { headers: { authorization: `Bearer ${token}` } };
}

/** Headers of a request with this session cookie. */
export function cookie(
  value: string,
  name = '__Host-session',
): { readonly headers: { readonly cookie: string } } {
  return { headers: { cookie: `${name}=${value}` } };
}

/** Sends one request to a service on this machine; the path is sent unchanged. */
export function call(
  port: number,
  path: string,
  { method = 'GET', headers = {}, body, agent }: CallOptions = {},
): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        method,
        path,
        headers: headers as OutgoingHttpHeaders,
        agent: agent ?? false,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            code: codeOf(response.headers['content-type'], text),
          });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function codeOf(type: string | undefined, text: string): string | undefined {
  if (text === '' || !type?.startsWith('application/json')) return undefined;
  const { error } = JSON.parse(text) as { error?: { code: string } };
  return error?.code;
}
