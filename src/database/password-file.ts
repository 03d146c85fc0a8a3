import { readFile } from 'node:fs/promises';
import type { ClientConfig } from 'pg';
import { parseIntoClientConfig } from 'pg-connection-string';

/** Where to connect to, and as whom. */
export interface DatabaseAddress {
  readonly url: string;
  /** Holds the password, in place of the address; undefined: the address holds it. */
  readonly passwordFile: string | undefined;
}

/**
 * Options of the driver by which each connection reads its password from the file, so that a
 * password that has changed is used by the next connection. They belong after a `connectionString`.
 *
 * @returns no options when there is no file.
 */
export function passwordFileOptions({ url, passwordFile }: DatabaseAddress): ClientConfig {
  if (passwordFile === undefined) return {};
  return {
    // The driver lets a connection string overwrite the password, so the address is taken apart.
    connectionString: undefined,
    ...parseIntoClientConfig(url),
    password: async () => (await readFile(passwordFile, 'utf8')).trim(),
  };
}
