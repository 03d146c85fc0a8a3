import type { IncomingMessage } from 'node:http';
import { PayloadTooLargeException, UnsupportedMediaTypeException } from '@nestjs/common';

const LIMIT_BYTES = 4_096;
const FORM = /^application\/x-www-form-urlencoded\b/i;

/**
 * Reads the fields of a posted form.
 *
 * @throws {UnsupportedMediaTypeException} if the body is not a form.
 * @throws {PayloadTooLargeException} if the body is longer than 4,096 bytes.
 */
export async function formBody(request: IncomingMessage): Promise<URLSearchParams> {
  if (!FORM.test(request.headers['content-type'] ?? '')) throw new UnsupportedMediaTypeException();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > LIMIT_BYTES) throw new PayloadTooLargeException();
    chunks.push(chunk);
  }
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}
