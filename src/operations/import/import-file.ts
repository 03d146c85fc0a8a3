import type { Client } from 'pg';
import { retryConflicts } from '../../database/retry-conflicts.js';
import { SET_LOCAL_OUTPUT } from '../../database/session-settings.js';
import {
  FEED_TIME_CHECKS,
  outcomeChecks,
  referenceChecks,
  runChecks,
} from './staging/cross-checks.js';
import { keepAddedRequests, noteNewRequests, placeInHistory } from './merge/history.js';
import { lockImports, queryOf } from './import-lock.js';
import { findItemsWithoutText, type ItemsWithoutText } from './summary/items-without-text.js';
import { countWithheldParts, merge, renewPriceChecks, type KindSummary } from './merge/merge.js';
import { READING_SHARE, WRITING_BEGINS, WRITING_ENDS, writingCost } from './progress-shares.js';
import { RECORD_TABLES } from './records/record-tables.js';
import { RECORD_KINDS, type RecordKind } from './records/records.js';
import {
  closeExpired,
  keepLastOfEachId,
  keepRevoked,
  resolveBuyers,
  skipErased,
} from './staging/resolve-rows.js';
import { stageFile, type StagedCounts } from './staging/stage-file.js';
import { copyStoredRows, isDistributed, STORED_TABLES } from './staging/stored-relation.js';

/** Receives the progress of an import. */
export interface ImportProgress {
  /**
   * Called each time a chunk of the file has been read.
   *
   * @param bytes the number of bytes in the chunk.
   * @param records the number of records so far.
   */
  read(bytes: number, records: number): void;
  /**
   * Called when a phase after the reading begins.
   *
   * @param share the share of the import that is usually done now, 0 to 1.
   */
  phase(name: string, share: number): void;
  /** Called when the import waits, possibly for a long time. The reason should be shown at once. */
  waiting(reason: string): void;
  /** Called when the import has ended, successfully or not. */
  end(): void;
}

/** Options of `importFile`. */
export interface ImportOptions {
  /**
   * Whether to load the file as history: `latestActivityAt` becomes the stamp of a request that is
   * new.
   */
  readonly isBackfill?: boolean;
  /** Whether to check everything but keep nothing. */
  readonly isDryRun?: boolean;
  /** Whether to load erased buyers that the file contains, and to delete their erasures. */
  readonly mayRestoreErased?: boolean;
  readonly progress?: ImportProgress;
  /**
   * Interrupts the import: its connection is closed, and nothing is kept. It has no effect once the
   * commit has begun.
   */
  readonly signal?: AbortSignal;
}

/** The result of an import, in records. */
export interface ImportSummary {
  /** Records of the file. */
  readonly records: number;
  readonly added: number;
  readonly changed: number;
  /** The records of each kind of which the file has any, without those that were skipped. */
  readonly kinds: Readonly<Partial<Record<RecordKind, KindSummary>>>;
  /** Records of erased buyers, which were skipped. */
  readonly skippedErased: number;
  /** Sessions and grants that stay revoked although they are live in the file. */
  readonly stillRevoked: number;
  /**
   * Parts of the file's listings that are not shown to any principal: makes, models, trims, colors.
   */
  readonly withheldParts: number;
  readonly itemsWithoutText: ItemsWithoutText;
  /**
   * For a backfill: the number of new requests of existing buyers with stamps that polling clients
   * may have passed. These clients do not receive them.
   */
  readonly missedByPolls?: number;
}

// SQLSTATEs of unique and foreign-key violations, which concurrent writers can cause. The attempt
// is then repeated.
const CONCURRENT_WRITES = ['23505', '23503'];

/**
 * Loads an import file in one transaction, completely or not at all.
 *
 * The records are checked one by one as they stream into temporary tables, then against each other,
 * and each table is updated by two statements for each few thousand rows. The requests are stamped
 * once, at the end, and memory use does not grow with the file, except for the dealerships
 * that it changes.
 *
 * @param client a connection of the tables' owner, outside of a transaction; nothing else may use
 *   it during the import.
 * @throws {ImportRejectedError} with the lines, keys and reasons of the problems.
 * @throws the signal's reason when the import was interrupted; nothing is then kept.
 */
export async function importFile(
  client: Client,
  source: Iterable<Buffer> | AsyncIterable<Buffer>,
  options: ImportOptions = {},
): Promise<ImportSummary> {
  const { progress, signal } = options;
  signal?.throwIfAborted();
  let isCommitting = false;
  // Only closing the connection interrupts every kind of wait, including one for a lock.
  const interrupt = (): void => {
    if (!isCommitting) void client.end().catch(() => undefined);
  };
  signal?.addEventListener('abort', interrupt);
  try {
    await client.query('BEGIN ISOLATION LEVEL READ COMMITTED');
    await client.query(SET_LOCAL_OUTPUT);
    await client.query(ENDS_WITH_ITS_CLIENT);
    await lockImports(queryOf(client), 'import', () =>
      progress?.waiting('waiting for another import into this database to finish'),
    );
    const staged = await stageFile(client, source, (bytes, count) => progress?.read(bytes, count));
    await client.query('SAVEPOINT staged');
    const { counts, skipped, ...outcome } = await retryConflicts(
      () =>
        checkAndMerge(client, staged, options).catch(async (error: unknown) => {
          // Also releases the locks of the attempt. If the connection was lost, this rollback fails
          // and the original error is reported.
          await client.query('ROLLBACK TO SAVEPOINT staged').catch(() => undefined);
          throw error;
        }),
      CONCURRENT_WRITES,
    );
    // Checks for an abort before COMMIT, because the outcome of an interrupted COMMIT would be
    // unknown.
    signal?.throwIfAborted();
    isCommitting = true;
    await client.query(options.isDryRun ? 'ROLLBACK' : 'COMMIT');
    progress?.phase('done', 1);
    const kinds = RECORD_KINDS.flatMap((kind) => {
      const records = (staged.ofKind[kind] ?? 0) - (skipped.get(kind) ?? 0);
      return records === 0 ? [] : [[kind, { records, ...counts[kind] }] as const];
    });
    const sum = (what: 'added' | 'changed'): number =>
      RECORD_KINDS.reduce((total, kind) => total + counts[kind][what], 0);
    return {
      records: staged.records,
      added: sum('added'),
      changed: sum('changed'),
      kinds: Object.fromEntries(kinds),
      skippedErased: [...skipped.values()].reduce((total, count) => total + count, 0),
      ...outcome,
    };
  } catch (error) {
    // A lost connection has already rolled back; the original error is reported.
    await client.query('ROLLBACK').catch(() => undefined);
    if (!isCommitting) signal?.throwIfAborted();
    throw error;
  } finally {
    signal?.removeEventListener('abort', interrupt);
    progress?.end();
  }
}

/**
 * Makes the server notice within a second that an import was killed, so that it does not block the
 * next one. Operating systems that do not support the setting reject it, which is ignored.
 */
const ENDS_WITH_ITS_CLIENT = `DO $$
BEGIN
  PERFORM set_config('client_connection_check_interval', '1s', true);
EXCEPTION WHEN OTHERS THEN NULL;
END $$`;

async function checkAndMerge(
  client: Client,
  staged: StagedCounts,
  { isBackfill = false, mayRestoreErased = false, progress }: ImportOptions,
): Promise<
  Omit<ImportSummary, 'records' | 'added' | 'changed' | 'kinds' | 'skippedErased'> & {
    readonly counts: Awaited<ReturnType<typeof merge>>;
    readonly skipped: Awaited<ReturnType<typeof skipErased>>;
  }
> {
  progress?.phase('checking references', READING_SHARE);
  const hasShards = await isDistributed(client);
  const stored = hasShards ? await copyStoredRows(client) : STORED_TABLES;
  await resolveBuyers(client, stored);
  const skipped = await skipErased(client, mayRestoreErased);
  const stillRevoked = await keepRevoked(client, stored);
  await runChecks(client, referenceChecks(stored));
  await keepLastOfEachId(client);
  await closeExpired(client, stored);
  await runChecks(client, outcomeChecks(stored));

  if (isBackfill) await noteNewRequests(client, stored);
  const totalCost = Math.max(writingCost(staged.ofKind), 1);
  let writtenCost = 0;
  const counts = await merge(client, stored, (kind, share) => {
    const cost = writingCost({ [kind]: staged.ofKind[kind] ?? 0 });
    const done = (writtenCost + cost * share) / totalCost;
    if (share === 1) writtenCost += cost;
    const percent = share > 0 ? ` ${Math.floor(share * 100)}%` : '';
    progress?.phase(
      `writing ${RECORD_TABLES[kind].table}${percent}`,
      WRITING_BEGINS + (WRITING_ENDS - WRITING_BEGINS) * done,
    );
  });
  if (hasShards) await renewPriceChecks(client, stored);
  const withheldParts = await countWithheldParts(client);
  const itemsWithoutText = await findItemsWithoutText(client);
  const missed = isBackfill ? { missedByPolls: await keepAddedRequests(client) } : {};
  progress?.phase('stamping requests', WRITING_ENDS);
  // Stamps the requests and computes their list entries now instead of at the commit, so that a lock
  // timeout can be retried, and so that history can get its times. From here on, other writers of
  // the same buyers wait.
  await client.query('SELECT deal_sets.feed_stamp_now()');
  if (isBackfill) {
    await placeInHistory(client);
    await runChecks(client, FEED_TIME_CHECKS);
  }
  return { counts, skipped, stillRevoked, withheldParts, itemsWithoutText, ...missed };
}
