/** What can be built wrong. Each is one variant of the step tables; the model must show what it breaks. */
export interface Faults {
  /** The summary is read before the feed row is locked, and kept. */
  readonly recomputesBeforeTheRowLock?: boolean;
  /** Changes of the second request mark nothing. */
  readonly hasNoTrigger?: boolean;
  readonly marksWithoutLocking?: boolean;
  /** In history mode the mark locks the row and writes nothing. */
  readonly historyOnlyLocks?: boolean;
  /** That a request was recomputed is remembered outside the transaction. */
  readonly remembersBeyondARollback?: boolean;
  readonly takesNoLock?: boolean;
  readonly stampsBeforeTheLock?: boolean;
  readonly releasesBeforeTheCommit?: boolean;
  readonly stampsTheStart?: boolean;
  readonly doesNotAwaitItsMillisecond?: boolean;
  readonly readsThePageBeforeTheProbe?: boolean;
  readonly cutsTies?: boolean;
  readonly keepsNoMargin?: boolean;
}

/** Each fault, and what the exploration must find of it. */
export const FAULTS: readonly (readonly [fault: keyof Faults, found: 'skipped' | 'stale'])[] = [
  ['recomputesBeforeTheRowLock', 'stale'],
  ['hasNoTrigger', 'stale'],
  ['marksWithoutLocking', 'stale'],
  ['historyOnlyLocks', 'stale'],
  ['remembersBeyondARollback', 'stale'],
  ['takesNoLock', 'skipped'],
  ['stampsBeforeTheLock', 'skipped'],
  ['releasesBeforeTheCommit', 'skipped'],
  ['stampsTheStart', 'skipped'],
  ['doesNotAwaitItsMillisecond', 'skipped'],
  ['readsThePageBeforeTheProbe', 'skipped'],
  ['cutsTies', 'skipped'],
  ['keepsNoMargin', 'skipped'],
];
