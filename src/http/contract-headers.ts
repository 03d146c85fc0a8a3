import { ServerResponse, type OutgoingHttpHeader, type OutgoingHttpHeaders } from 'node:http';

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

const HELD: ReadonlySet<string> = new Set(
  [...CONTRACT_HEADERS.map(([name]) => name), REQUEST_ID_HEADER].map((name) => name.toLowerCase()),
);

/**
 * Guards a response at the one call that every way of writing it ends in, the framework's, a module's own and
 * Node's implicit one: the contract's headers are set last, so that nothing before can change them, and the
 * response of an endpoint starts only when it is the service's own.
 */
export function guardResponse(response: ServerResponse): void {
  response.writeHead = writeGuardedHead;
}

function writeGuardedHead(
  this: ServerResponse,
  status: number,
  ...rest: readonly (string | OutgoingHttpHeaders | OutgoingHttpHeader[] | undefined)[]
): ServerResponse {
  const { context } = this.req;
  if (context.policy && !context.isOwnResponse) {
    throw new Error('the response of an endpoint was written past its serializer');
  }
  const reason = typeof rest[0] === 'string' ? rest[0] : undefined;
  const given = rest[reason === undefined ? 0 : 1] ?? rest[1];
  // Node merges an object with what was set before, and where nothing was writes it as it is: setting the
  // headers one by one costs several times as much.
  const headers = typeof given === 'object' ? unheld(this, given) : {};
  for (const [name, value] of CONTRACT_HEADERS) headers[name] = value;
  headers[REQUEST_ID_HEADER] = context.id;
  // A status message, where one was given, is the response's own property.
  if (reason !== undefined) this.statusMessage = reason;
  return nodeWriteHead.call(this, status, headers);
}

// eslint-disable-next-line @typescript-eslint/unbound-method -- called on a response
const nodeWriteHead = ServerResponse.prototype.writeHead as (
  this: ServerResponse,
  status: number,
  headers: OutgoingHttpHeaders,
) => ServerResponse;

/** The given headers except those that the service sets itself; a list may repeat a name, so it is set at once. */
function unheld(
  response: ServerResponse,
  given: OutgoingHttpHeaders | OutgoingHttpHeader[],
): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {};
  if (Array.isArray(given)) {
    const flat = given.flat();
    for (let index = 0; index + 1 < flat.length; index += 2) {
      const name = String(flat[index]);
      if (!HELD.has(name.toLowerCase())) response.appendHeader(name, String(flat[index + 1]));
    }
    return headers;
  }
  for (const name in given) {
    const value = given[name];
    if (value !== undefined && !HELD.has(name.toLowerCase())) headers[name] = value;
  }
  return headers;
}
