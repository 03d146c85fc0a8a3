import type { IncomingMessage } from 'node:http';

/**
 * Whether the request names its host as RFC 9112, section 3.2 asks: exactly one `Host` line with a value;
 * HTTP/1.0 may leave it out. Node keeps the first of several, so the raw lines are looked at.
 */
export function hasOneHost(request: IncomingMessage): boolean {
  const host = request.headers.host;
  if (host === undefined) return request.httpVersion === '1.0';
  if (host === '') return false;
  const lines = request.rawHeaders;
  let count = 0;
  for (let index = 0; index < lines.length; index += 2) {
    const name = lines[index];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1;
}

/**
 * Whether the request's body is in a transfer coding that the service does not know: where such a body ends,
 * and the next request begins, cannot be said (RFC 9112, section 6.1). Only `chunked` is known.
 */
export function hasUnknownTransferCoding({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}
