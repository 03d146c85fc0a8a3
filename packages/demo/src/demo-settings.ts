import { loadServiceSettings, type ServiceSettings } from '@deal-sets/service/standalone';

/** The error that is thrown if the demo cannot start. The message names the fix. */
export class DemoStartError extends Error {
  override readonly name = 'DemoStartError';
}

const MAX_PORT = 65_535;
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/;
const ISSUER_VARIABLES = [
  ...['AUTH_ISSUER', 'AUTH_AUDIENCE', 'AUTH_JWKS_URL', 'AUTH_TOKEN_TYPE'],
  ...['AUTH_CLIENT_CLAIM', 'AUTH_SCOPE_CLAIM', 'AUTH_BUYER_CLAIM'],
];

const isLocal = (url: string): boolean => LOOPBACK.test(new URL(url).hostname);

/**
 * Returns whether the address is that of a proxy which forwards to this machine, such as a remote
 * development environment.
 */
export function isForwarded(publicUrl: string): boolean {
  return new URL(publicUrl).protocol === 'https:' && !isLocal(publicUrl);
}

/**
 * Returns the settings of the demo. The demo listens on this machine only, because anyone who can
 * reach it can sign in as one of its buyers. With an https `PUBLIC_URL`, its addresses are those of
 * a proxy that forwards to this machine.
 *
 * @param jwksUrl the address from which the service reads the demo's own keys. Default: the address
 *   at which the issuer publishes them.
 * @throws {DemoStartError} if the environment is production, if other machines could reach the
 *   address, if `PUBLIC_URL` has a path, if the port is 0, or if an issuer is configured.
 */
export function demoSettings(
  env: NodeJS.ProcessEnv,
  databaseUrl: string,
  jwksUrl?: string,
): ServiceSettings {
  const host = env['HOST']?.trim() || '127.0.0.1';
  const port = env['PORT']?.trim() || '3000';
  if (!/^\d{1,5}$/.test(port) || Number(port) > MAX_PORT) {
    throw new DemoStartError(`PORT: expected a whole number from 1 to ${MAX_PORT}.`);
  }
  // An origin has no port that is the default of its scheme.
  const local = new URL(`http://localhost:${port}`).origin;
  const publicUrl = (env['PUBLIC_URL']?.trim() || local).replace(/\/$/, '');
  if (env['NODE_ENV']?.trim() === 'production') {
    throw new DemoStartError('The demo is not for production: unset NODE_ENV=production.');
  }
  if (!LOOPBACK.test(host)) {
    throw new DemoStartError('The demo serves only this machine: unset HOST.');
  }
  if (!URL.canParse(publicUrl) || !(isForwarded(publicUrl) || isLocal(publicUrl))) {
    throw new DemoStartError(
      'The demo serves only this machine: unset PUBLIC_URL, or set it to the https address that is forwarded to this machine.',
    );
  }
  if (new URL(publicUrl).pathname !== '/') {
    throw new DemoStartError('The demo does not support a path: unset PUBLIC_URL.');
  }
  if (port === '0') {
    throw new DemoStartError("The demo's addresses contain its port: set PORT to a fixed port.");
  }
  const setVariables = ISSUER_VARIABLES.filter((name) => env[name]?.trim());
  if (setVariables.length > 0) {
    throw new DemoStartError(`The demo is its own issuer: unset ${setVariables.join(', ')}.`);
  }
  return loadServiceSettings({
    // Only problems are logged, so that the addresses printed at the start stay visible.
    LOG_LEVEL: 'warn',
    ...env,
    DATABASE_URL: databaseUrl,
    DATABASE_READER_URL: '',
    DATABASE_ASSISTANT_URL: '',
    DATABASE_REPLICA_URL: '',
    MCP: 'on',
    PUBLIC_URL: publicUrl,
    AUTH_ISSUER: publicUrl,
    AUTH_AUDIENCE: `${publicUrl},${publicUrl}/mcp`,
    AUTH_JWKS_URL: jwksUrl ?? `${publicUrl}/oauth/jwks`,
    AUTH_AUTHORIZATION_URL: `${publicUrl}/oauth/authorize`,
    AUTH_TOKEN_URL: `${publicUrl}/oauth/token`,
  });
}
