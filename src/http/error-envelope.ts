import type { ErrorCode, ErrorReason } from '../kernel/app-error.js';
import { messageOf } from './error-catalogue.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** An error's body, ready to send. */
export interface Envelope {
  readonly body: string;
  readonly contentLength: string;
}

const ENVELOPES = new Map<string, Envelope>();

/**
 * `{ "error": { "code", "message" } }` of a code and, where known, its cause (contract, section 7). The
 * same bytes each time.
 */
export function envelopeOf(code: ErrorCode, reason?: ErrorReason): Envelope {
  const key = reason === undefined ? code : `${code} ${reason}`;
  let envelope = ENVELOPES.get(key);
  if (!envelope) {
    const body = JSON.stringify({ error: { code, message: messageOf(code, reason) } });
    envelope = { body, contentLength: String(Buffer.byteLength(body)) };
    ENVELOPES.set(key, envelope);
  }
  return envelope;
}
