import type { DatabaseOptions } from '../../src/config/settings.js';
import { ReadDatabase } from '../../src/database/read-database.js';
import {
  ASSISTANT_READS,
  readingOptions,
  ReadingSource,
  replicaSources,
  SESSION_READS,
  SIGN_IN_READS,
  type ReadingSourceName,
} from '../../src/database/reading-source.js';

/** The reads on a database, connected, with the settings' defaults. The caller closes them. */
export async function readsOn(
  url: string,
  changes: Partial<DatabaseOptions> = {},
): Promise<ReadDatabase> {
  const settings: DatabaseOptions = {
    readerUrl: undefined,
    assistantUrl: undefined,
    replicaUrl: undefined,
    hasNamedStatements: true,
    poolSize: 10,
    ...changes,
    url,
  };
  const source = (name: ReadingSourceName): Promise<ReadingSource> =>
    ReadingSource.create(readingOptions(name, url, settings));
  const sources = {
    session: await source(SESSION_READS),
    assistant: await source(ASSISTANT_READS),
    signIn: await source(SIGN_IN_READS),
    replica: await replicaSources(settings),
  };
  const reads = new ReadDatabase(sources, settings, 8000);
  await reads.open();
  return reads;
}
