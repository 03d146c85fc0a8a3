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
 * Returns the headers of a request by name. Adapters for serverless platforms create requests that
 * have only joined headers, in which each name counts as one line.
 */
export function headersOf({
  rawHeaders,
  headers,
}: Pick<IncomingMessage, 'rawHeaders' | 'headers'>): DistinctHeaders {
  if (rawHeaders.length > 0) return distinctHeaders(rawHeaders);
  const lines = Object.entries(headers).flatMap(([name, values = []]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
  return distinctHeaders(lines);
}
