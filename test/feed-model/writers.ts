import {
  ABORTED,
  BUYER_LOCK,
  CHANGES_OF_A_WRITER,
  CLOCK,
  DATA,
  FINISHED,
  KEPT,
  KEPT_SIZE,
  MARKED,
  newestStamp,
  OWN_DATA,
  OWN_STAMP,
  OWN_SUMMARY,
  REMEMBERED,
  REQUESTS,
  ROW_LOCK,
  RUNNING,
  SAVED,
  SEEN_DATA,
  SEEN_NEWEST,
  SEEN_VERSION,
  STAMP,
  STARTED_AT,
  STATUS,
  STEP,
  SUMMARY,
  TO_RECOMPUTE,
  TO_STAMP,
  VERSION,
  WRITERS,
  writerAt,
  type State,
} from './state.js';
import type { Faults, Program } from './worlds.js';

/**
 * One step of a transaction. What a step reads and writes is atomic; between two steps others may
 * run.
 */
export interface Step {
  readonly does:
    | 'begin'
    | 'change'
    | 'mark'
    | 'savepoint'
    | 'rollbackTo'
    | 'lock'
    | 'stamp'
    | 'recompute'
    | 'commit'
    | 'release';
  readonly request?: number;
  /** Which of the writer's changes, for a `change`. */
  readonly bit?: number;
}

const AT_COMMIT: readonly Step[] = [{ does: 'lock' }, { does: 'stamp' }, { does: 'recompute' }];

/** The steps of a program, and the variant of them that has the fault. */
export function stepsOf(program: Program, faults: Faults): Step[] {
  const steps: Step[] = [{ does: 'begin' }];
  const atCommit = AT_COMMIT.filter(
    ({ does }) =>
      !(does === 'recompute' && faults.recomputesBeforeTheRowLock) &&
      !(does === 'lock' && (faults.takesNoLock || faults.stampsBeforeTheLock)),
  );
  if (faults.stampsBeforeTheLock) atCommit.splice(1, 0, { does: 'lock' });
  let changes = 0;
  for (const action of program.actions) {
    if (action === 'savepoint' || action === 'rollbackTo') steps.push({ does: action });
    else if (action === 'constraints') steps.push(...atCommit);
    else {
      const request = action === 'A' ? 0 : 1;
      steps.push({ does: 'change', request, bit: changes });
      if (faults.recomputesBeforeTheRowLock) steps.push({ does: 'recompute', request });
      if (!(faults.hasNoTrigger && request === 1)) steps.push({ does: 'mark', request });
      changes += 1;
    }
  }
  if (changes > CHANGES_OF_A_WRITER) throw new Error(`${program.name} makes too many changes`);
  steps.push(...atCommit);
  steps.push(
    ...(faults.releasesBeforeTheCommit
      ? ([{ does: 'release' }, { does: 'commit' }] as const)
      : ([{ does: 'commit' }, { does: 'release' }] as const)),
  );
  return steps;
}

/** A writer of the explored world. */
export interface Writer {
  readonly number: number;
  readonly program: Program;
  readonly steps: readonly Step[];
}

/**
 * Whether a step neither reads nor writes what another one's step may change: then no other order
 * need be explored. With correct marks that holds for `recompute` too: its snapshot is fixed, or it
 * holds the lock without which no one else commits a change of the request.
 */
export function isLocal({ program }: Writer, { does }: Step, faults: Faults): boolean {
  return (
    does === 'change' ||
    does === 'savepoint' ||
    (does === 'begin' && !program.isRepeatableRead) ||
    (does === 'recompute' && Object.keys(faults).length === 0)
  );
}

export const isRunning = (state: State, { number }: Writer): boolean =>
  state[writerAt(number) + STATUS] === RUNNING;

/** The next step of a writer that is running. */
export const stepOf = (state: State, { number, steps }: Writer): Step =>
  steps[state[writerAt(number) + STEP]!]!;

/** The writer whose lock this one waits for, or -1. */
function lockHolderAwaitedBy(state: State, writer: Writer): number {
  if (!isRunning(state, writer)) return -1;
  const step = stepOf(state, writer);
  const lock =
    step.does === 'mark' ? ROW_LOCK + step.request! : step.does === 'lock' ? BUYER_LOCK : undefined;
  const holder = lock === undefined ? 0 : state[lock]!;
  return holder === 0 || holder === writer.number + 1 ? -1 : holder - 1;
}

/** Whether this writer waits for one that waits, in the end, for it: PostgreSQL ends it (40P01). */
function isDeadlocked(state: State, writers: readonly Writer[], writer: Writer): boolean {
  let other = lockHolderAwaitedBy(state, writer);
  for (let hops = 0; other >= 0 && hops < WRITERS; hops += 1) {
    if (other === writer.number) return true;
    other = lockHolderAwaitedBy(state, writers[other]!);
  }
  return false;
}

/** The states that the writer's next step can lead to; none while it waits or when it is done. */
export function nextWriterStates(
  state: State,
  writers: readonly Writer[],
  writer: Writer,
  faults: Faults,
): State[] {
  if (!isRunning(state, writer)) return [];
  const step = stepOf(state, writer);
  const mayPassTheRowLock = step.does === 'mark' && faults.marksWithoutLocking;
  if (!mayPassTheRowLock && lockHolderAwaitedBy(state, writer) >= 0) {
    return isDeadlocked(state, writers, writer) ? [abortedState(state, writer)] : [];
  }
  if (step.does !== 'stamp') return [run(state.slice(), writer, step, faults, 0)];
  // The clock may or may not have reached its next millisecond.
  return [0, 1].map((ticks) => run(state.slice(), writer, step, faults, ticks));
}

function release(state: State, writer: Writer): void {
  const holder = writer.number + 1;
  if (state[BUYER_LOCK] === holder) state[BUYER_LOCK] = 0;
  for (let request = 0; request < REQUESTS; request += 1) {
    if (state[ROW_LOCK + request] === holder) state[ROW_LOCK + request] = 0;
  }
}

function abortedState(before: State, writer: Writer): State {
  const state = before.slice();
  const at = writerAt(writer.number);
  state.fill(0, at, writerAt(writer.number + 1));
  state[at + STATUS] = ABORTED;
  release(state, writer);
  return state;
}

function run(state: State, writer: Writer, step: Step, faults: Faults, ticks: number): State {
  const at = writerAt(writer.number);
  const { isRepeatableRead, isHistory } = writer.program;
  const request = step.request ?? 0;
  state[at + STEP]! += 1;
  switch (step.does) {
    case 'begin':
      if (faults.stampsTheStart) state[at + STARTED_AT] = state[CLOCK]!;
      if (isRepeatableRead) {
        for (let r = 0; r < REQUESTS; r += 1) {
          state[at + SEEN_DATA + r] = state[DATA + r]!;
          state[at + SEEN_VERSION + r] = state[VERSION + r]!;
        }
        state[at + SEEN_NEWEST] = newestStamp(state);
      }
      break;
    case 'change':
      state[at + OWN_DATA + request]! |=
        1 << (writer.number * CHANGES_OF_A_WRITER + (step.bit ?? 0));
      break;
    case 'mark': {
      const isFirst = (state[at + MARKED]! & (1 << request)) === 0;
      const isNewer = state[VERSION + request] !== state[at + SEEN_VERSION + request];
      // 40001: the feed row has a version that is newer than the snapshot.
      if (isRepeatableRead && isFirst && isNewer) return abortedState(state, writer);
      state[ROW_LOCK + request] = writer.number + 1;
      if (isHistory && faults.historyOnlyLocks) break;
      state[at + MARKED]! |= 1 << request;
      state[at + TO_RECOMPUTE]! |= 1 << request;
      if (!isHistory) state[at + TO_STAMP]! |= 1 << request;
      break;
    }
    case 'savepoint':
      state.copyWithin(at + SAVED, at + KEPT, at + KEPT + KEPT_SIZE);
      break;
    case 'rollbackTo':
      for (let r = 0; r < REQUESTS; r += 1) {
        const isTakenBack = state[at + MARKED]! & ~state[at + SAVED + MARKED - KEPT]! & (1 << r);
        if (isTakenBack) state[ROW_LOCK + r] = 0;
      }
      state.copyWithin(at + KEPT, at + SAVED, at + SAVED + KEPT_SIZE);
      break;
    case 'lock':
      state[BUYER_LOCK] = writer.number + 1;
      break;
    case 'stamp':
      stamp(state, writer, faults, ticks);
      break;
    case 'recompute':
      recompute(state, writer, step, faults);
      break;
    case 'commit':
      commit(state, at);
      break;
    case 'release':
      release(state, writer);
  }
  if (state[at + STEP] === writer.steps.length) {
    // Nothing of a finished writer matters any more.
    state.fill(0, at, writerAt(writer.number + 1));
    state[at + STATUS] = FINISHED;
  }
  return state;
}

/**
 * All rows to be stamped get one stamp: the clock, or just above the newest stamp that is visible.
 */
function stamp(state: State, writer: Writer, faults: Faults, ticks: number): void {
  const at = writerAt(writer.number);
  if (state[at + TO_STAMP] === 0) return;
  const { isRepeatableRead } = writer.program;
  // A snapshot that is older than the lock cannot show the newest stamp: a later millisecond than
  // the lock's is above it.
  const waited = isRepeatableRead && !faults.doesNotAwaitItsMillisecond ? 1 : 0;
  const clock = state[CLOCK]! + ticks + waited;
  const visible = isRepeatableRead ? state[at + SEEN_NEWEST]! : newestStamp(state);
  const newest = Math.max(visible, state[at + OWN_STAMP]!, state[at + OWN_STAMP + 1]!);
  const value = faults.stampsTheStart ? state[at + STARTED_AT]! : Math.max(clock, newest + 1);
  // A stamp ahead of the clock is waited for.
  state[CLOCK] = Math.max(clock, value);
  for (let r = 0; r < REQUESTS; r += 1) {
    if (state[at + TO_STAMP]! & (1 << r)) state[at + OWN_STAMP + r] = value;
  }
  state[at + TO_STAMP] = 0;
}

/**
 * Under READ COMMITTED the statement has a snapshot of its own, else the transaction's; own changes
 * show.
 */
function recompute(state: State, writer: Writer, step: Step, faults: Faults): void {
  const at = writerAt(writer.number);
  if (faults.remembersBeyondARollback && state[at + REMEMBERED] !== 0) {
    state[at + TO_RECOMPUTE] = 0;
    return;
  }
  const wanted = step.request === undefined ? state[at + TO_RECOMPUTE]! : 1 << step.request;
  for (let r = 0; r < REQUESTS; r += 1) {
    if ((wanted & (1 << r)) === 0) continue;
    const visible = writer.program.isRepeatableRead ? state[at + SEEN_DATA + r]! : state[DATA + r]!;
    state[at + OWN_SUMMARY + r] = (visible | state[at + OWN_DATA + r]!) + 1;
  }
  state[at + TO_RECOMPUTE] = 0;
  if (faults.remembersBeyondARollback && wanted !== 0) state[at + REMEMBERED] = 1;
}

function commit(state: State, at: number): void {
  for (let r = 0; r < REQUESTS; r += 1) {
    state[DATA + r]! |= state[at + OWN_DATA + r]!;
    if ((state[at + MARKED]! & (1 << r)) === 0) continue;
    state[VERSION + r]! += 1;
    if (state[at + OWN_STAMP + r] !== 0) state[STAMP + r] = state[at + OWN_STAMP + r]!;
    if (state[at + OWN_SUMMARY + r] !== 0) state[SUMMARY + r] = state[at + OWN_SUMMARY + r]! - 1;
  }
}
