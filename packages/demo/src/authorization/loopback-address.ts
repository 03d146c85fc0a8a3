const LOOPBACK_HOSTS: readonly string[] = ['127.0.0.1', '[::1]', 'localhost'];

/** Whether a redirect address leads to a program on the user's own machine (RFC 8252, section 7.3). */
export function isLoopbackAddress(address: unknown): boolean {
  if (typeof address !== 'string' || !URL.canParse(address)) return false;
  const { protocol, hostname } = new URL(address);
  return protocol === 'http:' && LOOPBACK_HOSTS.includes(hostname);
}
