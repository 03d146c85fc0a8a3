import type { IncomingMessage } from 'node:http';

/** The headers of a request by name in lower case, each with all its values in their order. */
export type DistinctHeaders = Readonly<Partial<Record<string, readonly string[]>>>;

/**
 * Groups the headers of a request by name, in the form of Node's `headersDistinct`. Requests over
 * HTTP/2 and those of Fastify's `inject` have only `rawHeaders`.
 *
 * @param rawHeaders names and values in turn.
 */
export function distinctHeaders(rawHeaders: readonly string[]): DistinctHeaders {
  // Without a prototype, a header named `__proto__` is a name like any other.
  const headers = Object.create(null) as Record<string, string[]>;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const [name = '', value = ''] = rawHeaders.slice(index, index + 2);
    (headers[name.toLowerCase()] ??= []).push(value);
  }
  return headers;
}

/**
 * Returns the headers of a request as names and values in turn. The request of an adapter for
 * serverless platforms may have them in `headers` alone; a header that it joined from several lines
 * counts as one line.
 */
export function rawHeadersOf({
  rawHeaders,
  headers,
}: Partial<Pick<IncomingMessage, 'rawHeaders' | 'headers'>>): readonly string[] {
  if (rawHeaders !== undefined && rawHeaders.length > 0) return rawHeaders;
  return Object.entries(headers ?? {}).flatMap(([name, value = []]) =>
    [value].flat().flatMap((line) => [name, line]),
  );
}
