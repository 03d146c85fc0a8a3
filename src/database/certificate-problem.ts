const UNTRUSTED = 'is not signed by a trusted authority: correct sslrootcert in its address';

/** Descriptions of problems with a server's certificate, by Node's error code. */
const PROBLEMS: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'has expired: renew it',
  CERT_NOT_YET_VALID: 'is not valid yet: check the clocks of both machines',
  CERT_REVOKED: 'is revoked: renew it',
  ERR_TLS_CERT_ALTNAME_INVALID:
    'is for another host: connect to a host name that the certificate contains',
  CERT_REJECTED: UNTRUSTED,
  CERT_SIGNATURE_FAILURE: UNTRUSTED,
  CERT_UNTRUSTED: UNTRUSTED,
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
};

/**
 * Describes why the certificate of a database server was rejected, and what to do.
 *
 * @param error any error; its causes are searched too.
 * @returns undefined when no certificate was rejected.
 */
export function certificateProblem(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code = '', cause } = error as { readonly code?: string; readonly cause?: unknown };
  const problem = PROBLEMS[code];
  if (problem === undefined) return certificateProblem(cause);
  return `the certificate of the database server ${problem}`;
}
