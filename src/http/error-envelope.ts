import type { ErrorCode } from '../kernel/app-error.js';
import { ERROR_CATALOGUE } from './error-catalogue.js';

export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** An error's body, ready to send. */
export interface Envelope {
  readonly body: string;
  readonly contentLength: string;
}

const ENVELOPES = new Map(
  (Object.keys(ERROR_CATALOGUE) as ErrorCode[]).map((code) => {
    const body = JSON.stringify({ error: { code, message: ERROR_CATALOGUE[code].message } });
    return [code, { body, contentLength: String(Buffer.byteLength(body)) }];
  }),
);

/** `{ "error": { "code", "message" } }` of a code (contract, section 7). The same bytes each time. */
export function envelopeOf(code: ErrorCode): Envelope {
  const envelope = ENVELOPES.get(code);
  if (!envelope) throw new Error('an error code without a catalogue entry');
  return envelope;
}
