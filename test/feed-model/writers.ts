import {
  ABORTED,
  BUCKET_LOCK,
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
 * One step of a transaction. Each step is atomic; steps of other transactions may run between two
 * steps.
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
  /** For a `change`: the number of this change among the writer's changes. */
  readonly bit?: number;
}

const AT_COMMIT: readonly Step[] = [{ does: 'lock' }, { does: 'stamp' }, { does: 'recompute' }];

/** Returns the steps of a program, as the given faults change them. */
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
 * Returns whether a step reads and writes only what no other writer's step changes, so that its
 * order does not matter. With correct marks this includes `recompute`: its snapshot is fixed, or
 * its writer holds the lock that every commit of a change to the request requires.
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

/** Returns the next step of a running writer. */
export const stepOf = (state: State, { number, steps }: Writer): Step =>
  steps[state[writerAt(number) + STEP]!]!;

/** Returns the number of the writer whose lock the given writer waits for, or -1. */
function lockHolderAwaitedBy(state: State, writer: Writer): number {
  if (!isRunning(state, writer)) return -1;
  const step = stepOf(state, writer);
  const lock =
    step.does === 'mark'
      ? ROW_LOCK + step.request!
      : step.does === 'lock'
        ? BUCKET_LOCK
        : undefined;
  const holder = lock === undefined ? 0 : state[lock]!;
  return holder === 0 || holder === writer.number + 1 ? -1 : holder - 1;
}

/** Returns whether the writer is part of a deadlock, in which PostgreSQL ends it (40P01). */
function isDeadlocked(state: State, writers: readonly Writer[], writer: Writer): boolean {
  let other = lockHolderAwaitedBy(state, writer);
  for (let hops = 0; other >= 0 && hops < WRITERS; hops += 1) {
    if (other === writer.number) return true;
    other = lockHolderAwaitedBy(state, writers[other]!);
  }
  return false;
}

/** Returns the states that the writer's next step can reach; none while it waits or has ended. */
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
  // The clock may have advanced by a millisecond.
  return [0, 1].map((ticks) => run(state.slice(), writer, step, faults, ticks));
}

function release(state: State, writer: Writer): void {
  const holder = writer.number + 1;
  if (state[BUCKET_LOCK] === holder) state[BUCKET_LOCK] = 0;
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
  const { isRepeatableRead } = writer.program;
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
      // SQLSTATE 40001: the feed row is newer than the snapshot.
      if (isRepeatableRead && isFirst && isNewer) return abortedState(state, writer);
      state[ROW_LOCK + request] = writer.number + 1;
      state[at + MARKED]! |= 1 << request;
      state[at + TO_RECOMPUTE]! |= 1 << request;
      state[at + TO_STAMP]! |= 1 << request;
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
      state[BUCKET_LOCK] = writer.number + 1;
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
    // The other values of a finished writer have no effect, so equal states become identical.
    state.fill(0, at, writerAt(writer.number + 1));
    state[at + STATUS] = FINISHED;
  }
  return state;
}

/**
 * Gives all rows to be stamped one stamp: the clock, or the millisecond after the newest visible
 * stamp if that is later.
 */
function stamp(state: State, writer: Writer, faults: Faults, ticks: number): void {
  const at = writerAt(writer.number);
  if (state[at + TO_STAMP] === 0) return;
  const { isRepeatableRead } = writer.program;
  // A snapshot from before the lock does not show the newest stamp. The writer waits for the next
  // millisecond, which is after every earlier stamp.
  const waited = isRepeatableRead && !faults.doesNotAwaitItsMillisecond ? 1 : 0;
  const clock = state[CLOCK]! + ticks + waited;
  const visible = isRepeatableRead ? state[at + SEEN_NEWEST]! : newestStamp(state);
  const newest = Math.max(visible, state[at + OWN_STAMP]!, state[at + OWN_STAMP + 1]!);
  const value = faults.stampsTheStart ? state[at + STARTED_AT]! : Math.max(clock, newest + 1);
  // The writer waits until the clock reaches its stamp.
  state[CLOCK] = Math.max(clock, value);
  for (let r = 0; r < REQUESTS; r += 1) {
    if (state[at + TO_STAMP]! & (1 << r)) state[at + OWN_STAMP + r] = value;
  }
  state[at + TO_STAMP] = 0;
}

/**
 * Computes the summaries. READ COMMITTED reads the committed changes, REPEATABLE READ those of its
 * snapshot; both include the writer's own changes.
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
