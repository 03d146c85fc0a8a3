import type { Client } from 'pg';
import { isConflict } from '../database/retry-conflicts.js';
import {
  FEED_TIME_CHECKS,
  FILE_TIME_CHECKS,
  OUTCOME_CHECKS,
  REFERENCE_CHECKS,
  runChecks,
} from './load/cross-checks.js';
import {
  beginBackfill,
  countUnseenRequests,
  placeRequests,
  stampRequests,
} from './load/feed-placement.js';
import { countHiddenParts, keepRevoked, skipErased } from './load/lasting-decisions.js';
import { merge, type MergeCounts } from './load/merge.js';
import { keepLastOfEachId, resolveBuyers } from './load/resolve.js';
import { stageFile } from './load/stage-file.js';
import type { RecordKind } from './records/record-kinds.js';
import { STAGED_TABLES } from './load/staged-tables.js';
import { Problems } from './problems.js';
import { READING_SHARE, SILENT_PROGRESS, type ImportProgress } from './import-progress.js';

export interface ImportOptions {
  /** Loads history: `latestActivityAt` decides the position of requests in the feed. */
  readonly isBackfill?: boolean;
  /** Checks everything and keeps nothing. */
  readonly isDryRun?: boolean;
  /** Buyers of the file who were erased come back. */
  readonly mayRestoreErased?: boolean;
  readonly progress?: ImportProgress;
  /** Interrupts the import: its connection is ended, and nothing is kept. Without effect on a commit. */
  readonly signal?: AbortSignal;
}

/** What an import did; `records` is the number of the file's records. */
export interface ImportSummary extends MergeCounts {
  readonly records: number;
  /** Records of buyers who were erased. */
  readonly skippedErased: number;
  /** Sessions and grants that stay revoked, though the file has them live. */
  readonly stillRevoked: number;
  /** Parts of the file's listings that no principal is shown: makes, models, trims, colours. */
  readonly hiddenParts: number;
  /**
   * Of a backfill: new requests of buyers already on record that are placed before the import. A client
   * that polls has passed their time and does not get them.
   */
  readonly unseen?: number;
}

// Another writer added or took away what this one had just looked for: it is looked for again.
const CROSSED = new Set(['23505', '23503']);
const MAX_ATTEMPTS = 10;

type Counts = Omit<ImportSummary, 'records'>;

/**
 * Loads an import file in one transaction: all of it, or nothing.
 *
 * The records are checked as they stream by and carried into temporary tables; what binds them together
 * is then checked there, and each table is brought up to date in two statements. So the work of the
 * triggers that keep the feed is done for the whole file at once, and memory does not grow with it.
 *
 * @param client a connection of the writers, in no transaction, for the import's own use meanwhile.
 * @throws {ImportRefused} naming lines, keys and reasons.
 * @throws the signal's reason when it was interrupted; nothing is kept then.
 */
export async function importFile(
  client: Client,
  source: AsyncIterable<Buffer>,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { progress = SILENT_PROGRESS, signal } = options;
  signal?.throwIfAborted();
  let isCommitting = false;
  // Ending the connection in mid-statement is what reaches every wait there is, for a lock too.
  const interrupt = (): void => {
    if (!isCommitting) void client.end().catch(() => undefined);
  };
  signal?.addEventListener('abort', interrupt);
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await client.query(ENDS_WITH_ITS_CLIENT);
    await lockImports(client, progress);
    const problems = new Problems();
    const records = await stageFile(client, source, problems, progress);
    problems.throwIfAny();
    const counts = await mergeWithRetry(client, options, problems, progress);
    // From here on an interrupt comes too late: the outcome of a commit that is broken off is unknown.
    signal?.throwIfAborted();
    isCommitting = true;
    await client.query(options.isDryRun ? 'ROLLBACK' : 'COMMIT');
    progress.phase('done', 1);
    return { records, ...counts };
  } catch (error) {
    // A lost connection has rolled back by itself, and its error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    if (!isCommitting) signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    progress.end();
  }
}

/** One import after another: each checks its file against a state that only it changes. */
async function lockImports(client: Client, progress: ImportProgress): Promise<void> {
  const lock = `hashtextextended('deal_sets.import', 0)`;
  const { rows } = await client.query<{ is_free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lock}) AS is_free`,
  );
  if (rows[0]?.is_free) return;
  progress.waiting('waiting for another import into this database to finish');
  await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
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

async function mergeWithRetry(
  client: Client,
  options: ImportOptions,
  problems: Problems,
  progress: ImportProgress,
): Promise<Counts> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('SAVEPOINT staged');
    try {
      return await checkAndMerge(client, options, problems, progress);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const isCrossed = typeof code === 'string' && CROSSED.has(code);
      if (attempt >= MAX_ATTEMPTS || !(isCrossed || isConflict(error))) throw error;
      // What was done since the savepoint is undone, its locks are let go, and it is done again.
      await client.query('ROLLBACK TO SAVEPOINT staged');
    }
  }
}

/** When the writing of each kind usually begins, as a share of the import. */
const WRITING_SHARES: Readonly<Record<RecordKind, number>> = {
  buyer: 0.25,
  dealership: 0.26,
  session: 0.27,
  grant: 0.28,
  dealSet: 0.3,
  priceCheck: 0.35,
  question: 0.7,
  draft: 0.72,
  reply: 0.74,
};

async function checkAndMerge(
  client: Client,
  { isBackfill = false, mayRestoreErased = false }: ImportOptions,
  problems: Problems,
  progress: ImportProgress,
): Promise<Counts> {
  progress.phase('checking references', READING_SHARE);
  await resolveBuyers(client);
  const kept = {
    skippedErased: await skipErased(client, mayRestoreErased),
    stillRevoked: await keepRevoked(client),
  };
  await runChecks(client, REFERENCE_CHECKS, problems);
  problems.throwIfAny();
  await keepLastOfEachId(client);
  await runChecks(client, [...OUTCOME_CHECKS, ...FILE_TIME_CHECKS], problems);
  problems.throwIfAny();

  const unseen = isBackfill ? await countUnseenRequests(client) : undefined;
  if (isBackfill) await beginBackfill(client);
  const counts = await merge(client, (kind) =>
    progress.phase(`writing ${STAGED_TABLES[kind].table}`, WRITING_SHARES[kind]),
  );
  progress.phase('placing requests in the feed', 0.85);
  if (isBackfill) {
    await placeRequests(client);
    await runChecks(client, FEED_TIME_CHECKS, problems);
    problems.throwIfAny();
  }
  await stampRequests(client);
  const hiddenParts = await countHiddenParts(client);
  return { ...counts, ...kept, hiddenParts, ...(unseen === undefined ? {} : { unseen }) };
}
