import type { DatabaseOptions } from '../../src/config/settings.js';
import { PostgresReadDatabase } from '../../src/database/postgres-read-database.js';

/** The read pools on a database, with the settings' defaults. The caller closes them. */
export function readsOn(url: string, changes: Partial<DatabaseOptions> = {}): PostgresReadDatabase {
  return new PostgresReadDatabase({
    readerUrl: undefined,
    assistantUrl: undefined,
    replicaUrls: [],
    hasNamedStatements: true,
    isDistributed: false,
    poolSize: 10,
    ...changes,
    url,
  });
}
