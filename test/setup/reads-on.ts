import type { DatabaseOptions } from '../../src/config/settings.js';
import { readDatabase } from '../../src/database/database.module.js';
import type { PooledReadDatabase } from '../../src/database/pooled-read-database.js';
import {
  ASSISTANT_READS,
  readOptions,
  ReadDataSource,
  SESSION_READS,
  SIGN_IN_READS,
  type ReadDataSourceName,
} from '../../src/database/read-data-source.js';

/** Opens the reads on a database, connected, with the default settings. The caller closes them. */
export async function readsOn(
  url: string,
  changes: Partial<DatabaseOptions> = {},
): Promise<PooledReadDatabase> {
  const settings: DatabaseOptions = {
    readerUrl: undefined,
    assistantUrl: undefined,
    replicaUrl: undefined,
    passwordFile: undefined,
    readerPasswordFile: undefined,
    assistantPasswordFile: undefined,
    replicaPasswordFile: undefined,
    hasNamedStatements: true,
    poolSize: 10,
    ...changes,
    url,
  };
  const source = (name: ReadDataSourceName): Promise<ReadDataSource> =>
    ReadDataSource.create(readOptions(name, url, settings));
  const sources = [
    await source(SESSION_READS),
    await source(ASSISTANT_READS),
    await source(SIGN_IN_READS),
  ] as const;
  const reads = await readDatabase(sources, settings, 8000);
  await reads.open();
  return reads;
}
