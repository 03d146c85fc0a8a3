import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** The address of a database server, with the login. */
export interface DatabaseAddress {
  readonly url: string;
  /** The file that contains the password. If undefined, the address contains it. */
  readonly passwordFile: string | undefined;
}

/**
 * Returns the driver's options for an address. This function reads the certificate files that the
 * address names. The password file is read each time a connection is opened, so that the next
 * connection uses a changed password.
 *
 * @throws the system's error when a certificate file cannot be read.
 */
export function addressOptions({ url, passwordFile }: DatabaseAddress): ClientConfig {
  return {
    // The address is parsed here. If the driver parsed it, it would read the certificate files each
    // time a connection is opened, where the error of a missing file cannot be caught, and the
    // address's password, even an empty one, would replace the password of the file.
    connectionString: undefined,
    ...parseIntoClientConfig(url),
    ...(passwordFile !== undefined && {
      password: async () => (await readFile(passwordFile, 'utf8')).trim(),
    }),
  };
}
