import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { describeWith, findProgram } from './describe-with.js';

const OPENSSL = findProgram('openssl');

/** `describe` on a machine with OpenSSL, which creates the certificates. */
export const describeWithOpenssl = (name: string, tests: () => void): void =>
  describeWith(OPENSSL, 'openssl', name, tests);

/** Files of a server of this machine, and of the authority that signed its certificate. */
export interface ServerCertificate {
  /** The certificate of the authority. */
  readonly ca: string;
  /** The certificate of the server, for `localhost` and `127.0.0.1`. */
  readonly cert: string;
  /** The private key of the server. */
  readonly key: string;
}

/**
 * Creates an authority, and a certificate that it signs.
 *
 * @param name prefix of the file names.
 */
export function makeCertificate(directory: string, name: string): ServerCertificate {
  const file = (ending: string): string => path.join(directory, `${name}-${ending}`);
  const [ca, caKey, request] = [file('ca.pem'), file('ca.key'), file('server.csr')];
  const [cert, key] = [file('server.pem'), file('server.key')];
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const days = ['-days', '2'];
  openssl('req', '-x509', ...newKey, ...days, '-subj', `/CN=${name}`, '-keyout', caKey, '-out', ca);
  openssl(
    ...['req', ...newKey, '-subj', '/CN=localhost', '-keyout', key, '-out', request],
    ...['-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'],
  );
  openssl(
    ...['x509', '-req', '-in', request, '-copy_extensions', 'copy', ...days],
    ...['-CA', ca, '-CAkey', caKey, '-CAcreateserial', '-out', cert],
  );
  return { ca, cert, key };
}

function openssl(...args: readonly string[]): void {
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl ${args[0] ?? ''} failed: ${stderr}`);
}
