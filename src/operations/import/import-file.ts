import type { Client } from 'pg';
import { retryConflicts } from '../schema/retry-conflicts.js';
import { FEED_TIME_CHECKS, OUTCOME_CHECKS, REFERENCE_CHECKS, runChecks } from './cross-checks.js';
import { beginBackfill, countHiddenParts, merge, placeRequests } from './merge.js';
import {
  copyAffectedRowsForCitus,
  keepLastOfEachId,
  keepRevoked,
  resolveBuyers,
  skipErased,
} from './resolve.js';
import { stageFile } from './stage-file.js';

/** Of an import's time, how much the reading of its file usually takes. */
export const READING_SHARE = 0.2;
/** The same when the writing of a table begins; other tables take no time to speak of. */
const WRITING_SHARES: Readonly<Record<string, number>> = { price_check: 0.3, question: 0.75 };

/** Hears how far an import has come. */
export interface ImportProgress {
  /** Some more bytes were read; `records` in all so far. */
  read(bytes: number, records: number): void;
  /** The file is read. @param share of the import that is usually done now: 0 to 1; undefined: as before. */
  phase(name: string, share?: number): void;
  /** The import waits, perhaps for long; shown at once. */
  waiting(reason: string): void;
  /** The import is over, well or not. */
  end(): void;
}

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

/** What an import did, in records. */
export interface ImportSummary {
  /** Of the file. */
  readonly records: number;
  readonly added: number;
  readonly changed: number;
  /** Those of buyers who were erased. */
  readonly skippedErased: number;
  /** Sessions and grants that stay revoked, though the file has them live. */
  readonly stillRevoked: number;
  /** Parts of the file's listings that no principal is shown: makes, models, trims, colours. */
  readonly hiddenParts: number;
  /** Of a backfill: new requests of buyers on record whose time clients that poll have passed: they do not get them. */
  readonly unseen?: number;
}

// Another writer added or took away what this one had just looked for: it is looked for again.
const CROSSED = ['23505', '23503'];

/**
 * Loads an import file in one transaction: all of it, or nothing.
 *
 * The records are checked as they stream into temporary tables; what binds them together is checked there, and each
 * table is brought up to date in two statements. So the triggers that keep the feed work for the whole file at once, and
 * memory grows with nothing of it but the dealerships that it changes.
 *
 * @param client a connection of the writers, in no transaction, for the import's own use meanwhile.
 * @throws {ImportRejectedError} naming lines, keys and reasons.
 * @throws the signal's reason when it was interrupted; nothing is kept then.
 */
export async function importFile(
  client: Client,
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { progress, signal } = options;
  signal?.throwIfAborted();
  let isCommitting = false;
  // Ending the connection in mid-statement is what reaches every wait there is, for a lock too.
  const interrupt = (): void => {
    if (!isCommitting) void client.end().catch(() => undefined);
  };
  signal?.addEventListener('abort', interrupt);
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    // One connection a node, where there are several: it then sees all that was written before.
    await client.query(`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`);
    await client.query(ENDS_WITH_ITS_CLIENT);
    await lockImports(client, progress);
    const records = await stageFile(client, source, (bytes, count) => progress?.read(bytes, count));
    await client.query('SAVEPOINT staged');
    const counts = await retryConflicts(
      () =>
        checkAndMerge(client, options).catch(async (error: unknown) => {
          // Its locks are let go as well. A lost connection has no savepoint.
          await client.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);
          throw error;
        }),
      CROSSED,
    );
    // The outcome of a commit that is broken off would be unknown.
    signal?.throwIfAborted();
    isCommitting = true;
    await client.query(options.isDryRun ? 'ROLLBACK' : 'COMMIT');
    progress?.phase('done', 1);
    return { records, ...counts };
  } catch (error) {
    // A lost connection has rolled back by itself, and its error is the one to report.
    await client.query('ROLLBACK').catch(() => undefined);
    if (!isCommitting) signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    progress?.end();
  }
}

/** One import after another: each checks its file against a state that only it changes. */
async function lockImports(client: Client, progress?: ImportProgress): Promise<void> {
  const lock = `hashtextextended('deal_sets.import', 0)`;
  const { rows } = await client.query<{ is_free: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${lock}) AS is_free`,
  );
  if (rows[0]?.is_free) return;
  progress?.waiting('waiting for another import into this database to finish');
  await client.query(`SELECT pg_advisory_xact_lock(${lock})`);
}

/** An import that is killed must not keep the next one waiting. Some systems refuse the setting. */
const ENDS_WITH_ITS_CLIENT = `DO $$
BEGIN
  PERFORM set_config('client_connection_check_interval', '1s', true);
EXCEPTION WHEN OTHERS THEN NULL;
END $$`;

async function checkAndMerge(
  client: Client,
  { isBackfill = false, mayRestoreErased = false, progress }: ImportOptions,
): Promise<Omit<ImportSummary, 'records'>> {
  progress?.phase('checking references', READING_SHARE);
  await copyAffectedRowsForCitus(client);
  await resolveBuyers(client);
  const skippedErased = await skipErased(client, mayRestoreErased);
  const stillRevoked = await keepRevoked(client);
  await runChecks(client, REFERENCE_CHECKS);
  await keepLastOfEachId(client);
  await runChecks(client, OUTCOME_CHECKS);

  const unseen = isBackfill ? { unseen: await beginBackfill(client) } : {};
  const counts = await merge(client, (table) =>
    progress?.phase(`writing ${table}`, WRITING_SHARES[table]),
  );
  progress?.phase('placing requests in the feed', 0.9);
  if (isBackfill) {
    await placeRequests(client);
    await runChecks(client, FEED_TIME_CHECKS);
  }
  // Places the rest at this very moment, and computes what the list shows: not left to the commit, so that a wait for
  // locks that ends too late can be tried again.
  await client.query('SET CONSTRAINTS ALL IMMEDIATE');
  const hiddenParts = await countHiddenParts(client);
  return { ...counts, skippedErased, stillRevoked, hiddenParts, ...unseen };
}
