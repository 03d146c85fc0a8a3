import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { withStableTlsMode } from './tls-mode.js';

/** Where to connect to, and as whom. */
export interface DatabaseAddress {
  readonly url: string;
  /** Holds the password, in place of the address; undefined: the address holds it. */
  readonly passwordFile: string | undefined;
}

/**
 * Options of the driver for an address. The certificates that the address names are read now, the
 * password file at each connect, so that a password that has changed is used by the next
 * connection.
 *
 * @throws the system's error when a certificate file cannot be read.
 */
export function addressOptions({ url, passwordFile }: DatabaseAddress): ClientConfig {
  return {
    // The address is taken apart here. From a connection string, the driver would read the
    // certificates at each connect, where a missing file is an error that nobody can catch; and the
    // string's password, even an empty one, would replace that of the file.
    connectionString: undefined,
    ...parseIntoClientConfig(withStableTlsMode(url)),
    ...(passwordFile !== undefined && {
      password: async () => (await readFile(passwordFile, 'utf8')).trim(),
    }),
  };
}
