import type { ErrorBody } from '../http/errors/error-bodies.js';

/**
 * The error code of JSON-RPC for a message that is not processed, by HTTP status. The protocol's
 * own libraries send the same codes.
 */
const CODES: ReadonlyMap<number, number> = new Map([
  [400, -32600],
  [413, -32000],
  [415, -32000],
]);

/** A message as the body parser returns it; undefined if it was not parsed. */
type ParsedMessage = { readonly id?: unknown; readonly method?: unknown } | null | undefined;

/**
 * Returns the id under which a client of JSON-RPC waits for the response to a message; null for a
 * notification and for anything that is not a request.
 */
function requestIdOf(message: ParsedMessage): string | number | null {
  const { id, method } = message ?? {};
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * Returns the JSON-RPC error for a message that `/mcp` rejects before it is processed, because it
 * is too large, is not JSON or has a wrong form. Clients of MCP relate it to their request. The
 * code of the contract's error is in `data`. Other errors have the contract's envelope.
 */
export const jsonRpcError: ErrorBody = ({ status, code: name, message }, { body }) => {
  const code = CODES.get(status);
  if (code === undefined) return undefined;
  const id = requestIdOf(body as ParsedMessage);
  return { jsonrpc: '2.0', id, error: { code, message, data: { code: name } } };
};
