/** The ids of common gateways: UUIDs, hexadecimal or Base64 text, with separators. */
const GATEWAY_ID = /^[\w.:+/=@-]{1,128}$/;

/**
 * Returns the `X-Request-Id` that a gateway in front of the service has assigned to the request,
 * for the log line. It never replaces the service's own id, because a caller can write anything
 * into it.
 *
 * @returns the id; undefined for a value that is too long or contains other characters.
 */
export function gatewayRequestIdOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' && GATEWAY_ID.test(header) ? header : undefined;
}
