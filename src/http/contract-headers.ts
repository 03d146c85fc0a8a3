/** Revision date of the contract that the service speaks (contract, section 9). */
export const API_REVISION = '2026-10-13';

export const REQUEST_ID_HEADER = 'Service-Request-Id';

/**
 * On every response, success or error. The last two keep browsers from guessing a type and from letting
 * another origin embed a response.
 */
export const CONTRACT_HEADERS: readonly (readonly [name: string, value: string])[] = [
  ['Cache-Control', 'private, no-store'],
  ['Service-API-Version', API_REVISION],
  ['X-Content-Type-Options', 'nosniff'],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
];
