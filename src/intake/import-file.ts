import type { Client } from 'pg';
import { isConflict } from '../database/retry-conflicts.js';
import {
  FEED_TIME_CHECKS,
  FILE_TIME_CHECKS,
  OUTCOME_CHECKS,
  REFERENCE_CHECKS,
  runChecks,
} from './load/cross-checks.js';
import { beginBackfill, placeRequests, stampRequests } from './load/feed-placement.js';
import { merge, type MergeCounts } from './load/merge.js';
import { keepLastOfEachId, resolveBuyers } from './load/resolve.js';
import { StagingWriter } from './load/staging-writer.js';
import { LineSplitter, type Line } from './line-splitter.js';
import { parseLine } from './parse-line.js';
import { Problems } from './problems.js';
import { SILENT_PROGRESS, type ImportProgress } from './import-progress.js';

export interface ImportOptions {
  /** Loads history: `latestActivityAt` decides where requests stand in the feed. */
  readonly isBackfill?: boolean;
  /** Checks everything and keeps nothing. */
  readonly isDryRun?: boolean;
  readonly progress?: ImportProgress;
}

/** What an import did; `records` is the number of the file's records. */
export interface ImportSummary extends MergeCounts {
  readonly records: number;
}

// Another writer added or took away what this one had just looked for: it is looked for again.
const CROSSED = new Set(['23505', '23503']);
const MAX_ATTEMPTS = 10;

/**
 * Loads an import file in one transaction: all of it, or nothing.
 *
 * The records are checked as they stream by and carried into temporary tables; what binds them together
 * is then checked there, and each table is brought up to date in two statements. So the work of the
 * triggers that keep the feed is done for the whole file at once, and memory does not grow with it.
 *
 * @param client a connection of the writers, in no transaction, for the import's own use meanwhile.
 * @throws {ImportRefused} naming lines, keys and reasons.
 */
export async function importFile(
  client: Client,
  source: AsyncIterable<Buffer>,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const progress = options.progress ?? SILENT_PROGRESS;
  await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
  try {
    await client.query(ENDS_WITH_ITS_CLIENT);
    // One import after another: each checks its file against a state that only it changes.
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('deal_sets.import', 0))`);
    const problems = new Problems();
    const records = await stage(client, source, problems, progress);
    problems.throwIfAny();
    const counts = await mergeWithRetry(client, options.isBackfill ?? false, problems, progress);
    await client.query(options.isDryRun ? 'ROLLBACK' : 'COMMIT');
    return { records, ...counts };
  } catch (error) {
    // A lost connection has rolled back by itself, and its error is the one to tell.
    await client.query('ROLLBACK').catch(() => undefined);
    throw error;
  } finally {
    progress.end();
  }
}

/**
 * An import that is killed must not go on in the server, where it would keep the next one waiting. Systems
 * on which the server cannot look at its client refuse the setting.
 */
const ENDS_WITH_ITS_CLIENT = `DO $$
BEGIN
  PERFORM set_config('client_connection_check_interval', '1s', true);
EXCEPTION WHEN OTHERS THEN NULL;
END $$`;

async function stage(
  client: Client,
  source: AsyncIterable<Buffer>,
  problems: Problems,
  progress: ImportProgress,
): Promise<number> {
  const writer = new StagingWriter(client);
  await writer.open();
  const nowMs = await databaseTime(client);
  const splitter = new LineSplitter();
  let records = 0;

  const take = async (lines: Iterable<Line>): Promise<void> => {
    for (const line of lines) {
      const record = parseLine(line, nowMs, (problem) => problems.add(problem));
      records += 1;
      // After the first problem the rest of the file is only checked.
      if (record && problems.count === 0) await writer.write(record, line.number);
    }
  };
  for await (const chunk of source) {
    await take(splitter.push(chunk));
    progress.read(chunk.length, records);
  }
  await take(splitter.end());
  if (problems.count === 0) await writer.close();
  return records;
}

async function databaseTime(client: Client): Promise<number> {
  const { rows } = await client.query<{ ms: number }>(
    'SELECT extract(epoch FROM clock_timestamp())::double precision * 1000 AS ms',
  );
  return rows[0]?.ms ?? Date.now();
}

async function mergeWithRetry(
  client: Client,
  isBackfill: boolean,
  problems: Problems,
  progress: ImportProgress,
): Promise<MergeCounts> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('SAVEPOINT staged');
    try {
      return await checkAndMerge(client, isBackfill, problems, progress);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const isCrossed = typeof code === 'string' && CROSSED.has(code);
      if (attempt >= MAX_ATTEMPTS || !(isCrossed || isConflict(error))) throw error;
      // What was done since the savepoint is undone, its locks are let go, and it is done again.
      await client.query('ROLLBACK TO SAVEPOINT staged');
    }
  }
}

async function checkAndMerge(
  client: Client,
  isBackfill: boolean,
  problems: Problems,
  progress: ImportProgress,
): Promise<MergeCounts> {
  progress.phase('checking references');
  await resolveBuyers(client);
  await runChecks(client, REFERENCE_CHECKS, problems);
  problems.throwIfAny();
  await keepLastOfEachId(client);
  await runChecks(client, [...OUTCOME_CHECKS, ...FILE_TIME_CHECKS], problems);
  problems.throwIfAny();

  if (isBackfill) await beginBackfill(client);
  const counts = await merge(client, (table) => progress.phase(`writing ${table}`));
  progress.phase('placing requests in the feed');
  if (isBackfill) {
    await placeRequests(client);
    await runChecks(client, FEED_TIME_CHECKS, problems);
    problems.throwIfAny();
  }
  await stampRequests(client);
  return counts;
}
