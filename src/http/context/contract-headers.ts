/** Revision date of the contract that the service implements (contract, section 9). */
export const API_REVISION = '2026-10-13';

/**
 * The header with the request's id. Every response has it, and the request's log line contains the
 * id.
 */
export const REQUEST_ID_HEADER = 'Service-Request-Id';
/** `Content-Type` of every JSON response. */
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/**
 * The headers of every response. `X-Content-Type-Options` prevents browsers from guessing a media
 * type. `Cross-Origin-Resource-Policy` prevents other origins from embedding the response.
 */
export const CONTRACT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'private, no-store'],
  ['Service-API-Version', API_REVISION],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];
