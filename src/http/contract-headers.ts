/** Revision date of the contract that the service speaks (contract, section 9). */
export const API_REVISION = '2026-10-13';

export const REQUEST_ID_HEADER = 'Service-Request-Id';
export const JSON_CONTENT_TYPE = 'application/json; charset=utf-8';

/** On every response. The last two keep browsers from guessing a type, and other origins from embedding it. */
export const CONTRACT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'private, no-store'],
  ['Service-API-Version', API_REVISION],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];
