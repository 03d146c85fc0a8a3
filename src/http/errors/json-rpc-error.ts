import { MCP_PATH } from '../../config/settings.js';

/**
 * The error code of JSON-RPC for a message that is not processed, by HTTP status. The protocol's
 * own libraries send the same codes.
 */
const CODES: ReadonlyMap<number, number> = new Map([
  [400, -32600],
  [413, -32000],
  [415, -32000],
]);

/** An error of the contract, whose code is sent in `data`. */
interface RejectedMessage {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/** A message as the body parser returns it; undefined if it was not parsed. */
type ParsedMessage = { readonly id?: unknown; readonly method?: unknown } | null | undefined;

/**
 * Returns the id under which a client of JSON-RPC waits for the response to a message; null for a
 * notification and for anything that is not a request.
 */
export function requestIdOf(message: ParsedMessage): string | number | null {
  const { id, method } = message ?? {};
  if (typeof method !== 'string') return null;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

/**
 * Returns the JSON-RPC error for a message that `/mcp` rejects before it is processed, because it
 * is too large, is not JSON or has a wrong form. Clients of MCP relate it to their request.
 *
 * @param route the pattern of the matched route.
 * @param request the request of the framework.
 * @returns undefined for other routes and other errors; they have the contract's envelope.
 */
export function jsonRpcError(
  route: string | undefined,
  request: { readonly body?: unknown },
  { status, code: name, message }: RejectedMessage,
): object | undefined {
  const code = route === MCP_PATH ? CODES.get(status) : undefined;
  if (code === undefined) return undefined;
  const id = requestIdOf(request.body as ParsedMessage);
  return { jsonrpc: '2.0', id, error: { code, message, data: { code: name } } };
}
