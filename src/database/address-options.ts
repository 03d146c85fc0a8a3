import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';
import { withStableTlsMode } from './tls-mode.js';

/** The address of a database server, with the login. */
export interface DatabaseAddress {
  readonly url: string;
  /** The file that contains the password. Undefined: the address contains it. */
  readonly passwordFile: string | undefined;
}

/**
 * Returns the driver's options for an address. The certificate files in the address are read now.
 * The password file is read at each connect, so that the next connection uses a changed password.
 *
 * @throws the system's error when a certificate file cannot be read.
 */
export function addressOptions({ url, passwordFile }: DatabaseAddress): ClientConfig {
  return {
    // The address is parsed here. The driver would read the certificates of a connection string at
    // each connect, where the error of a missing file cannot be caught. The string's password, even
    // an empty one, would also replace that of the file.
    connectionString: undefined,
    ...parseIntoClientConfig(withStableTlsMode(url)),
    ...(passwordFile !== undefined && {
      password: async () => (await readFile(passwordFile, 'utf8')).trim(),
    }),
  };
}
