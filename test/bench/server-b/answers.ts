export type Refusal =
  | 'invalid_request'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'not_found'
  | 'rate_limited'
  | 'unavailable';

const words = (code: Refusal, message: string): string =>
  JSON.stringify({ error: { code, message } });

/** Every refusal, ready to send. */
export const WORDS: Readonly<
  Record<Refusal, { readonly status: number; readonly body: string; readonly challenge?: string }>
> = {
  // `since` alone can be wrong.
  invalid_request: {
    status: 400,
    body: words(
      'invalid_request',
      '`since` must be one ISO 8601 date and time with a zone, such as 2026-10-14T16:00:00Z; write + as %2B.',
    ),
  },
  unauthenticated: {
    status: 401,
    body: words('unauthenticated', 'Sign in, or send a valid access token.'),
    challenge: 'Bearer error="invalid_token"',
  },
  insufficient_scope: {
    status: 403,
    body: words('insufficient_scope', 'The credential does not hold the scope that this needs.'),
    challenge: 'Bearer error="insufficient_scope", scope="offers:read"',
  },
  not_found: { status: 404, body: words('not_found', 'There is no such resource.') },
  rate_limited: {
    status: 429,
    body: words('rate_limited', 'Too many requests. Wait before the next one.'),
  },
  unavailable: {
    status: 503,
    body: words('unavailable', 'The service could not answer just now. Try again shortly.'),
  },
};
