import { ERROR_CATALOGUE, errorEnvelope, errorMessage } from '../src/kernel/error-catalogue.js';

const CHALLENGES: Readonly<Record<string, string>> = {
  unauthenticated: 'Bearer error="invalid_token"',
  insufficient_scope: 'Bearer error="insufficient_scope", scope="offers:read"',
};
/** The code of a rejection by server B. */
export type Rejection = Exclude<keyof typeof ERROR_CATALOGUE, 'forbidden' | 'internal'>;

/**
 * Returns a rejection by server B, with the service's message. `since` is the only parameter
 * that can be invalid.
 */
export function rejectionOf(code: Rejection): { status: number; body: string; challenge?: string } {
  const reason = code === 'invalid_request' ? 'since_malformed' : undefined;
  const challenge = CHALLENGES[code];
  return {
    status: ERROR_CATALOGUE[code].status,
    body: JSON.stringify(errorEnvelope(code, errorMessage(code, reason))),
    ...(challenge && { challenge }),
  };
}
