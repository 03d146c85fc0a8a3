import type { IncomingMessage } from 'node:http';

/**
 * Whether the request's body is in a transfer coding that the service does not know: where such a body ends,
 * and the next request begins, cannot be said (RFC 9112, section 6.1). Only `chunked` is known.
 */
export function hasUnknownTransferCoding({ headers }: IncomingMessage): boolean {
  const coding = headers['transfer-encoding'];
  return coding !== undefined && coding.trim().toLowerCase() !== 'chunked';
}
