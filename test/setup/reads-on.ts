import type { DatabaseOptions } from '../../src/config/settings.js';
import { readDatabase } from '../../src/database/database.module.js';
import type { PooledReadDatabase } from '../../src/database/pooled-read-database.js';
import { TIME_LIMITS, type TimeLimits } from '../../src/kernel/time-limits.js';
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
  changedLimits: Partial<TimeLimits> = {},
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
  const limits = { ...TIME_LIMITS, ...changedLimits };
  const source = (name: ReadDataSourceName): Promise<ReadDataSource> =>
    ReadDataSource.create(readOptions(name, url, settings, limits));
  const sources = [
    await source(SESSION_READS),
    await source(ASSISTANT_READS),
    await source(SIGN_IN_READS),
  ] as const;
  const reads = await readDatabase(sources, settings, limits);
  await reads.open();
  return reads;
}
