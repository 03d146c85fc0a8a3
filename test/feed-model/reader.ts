import { serviceAsOf } from '../../src/deal-sets/domain/feed-position.js';
import {
  BUYER_LOCK,
  CLOCK,
  IS_LATE,
  KNOWN,
  newestStamp,
  PAGE_EDGE,
  PAGE_ENTRY,
  PAGE_MORE,
  PAGE_NEWEST,
  POLLED,
  PROBE_CLOCK,
  PROBE_QUIET,
  READER_STEP,
  REQUESTS,
  SINCE,
  STAMP,
  type State,
} from './state.js';
import type { Faults } from './worlds.js';

export const POLLS = 3;
/** Entries of a page besides ties: the smallest, so that `more` occurs. */
const PAGE_SIZE = 1;

/** The states that the reader's next step can lead to; none when it has polled often enough. */
export function nextReaderStates(state: State, faults: Faults): State[] {
  if (state[POLLED] === POLLS) return [];
  const step = state[READER_STEP]!;
  const isFirst = step % 2 === 0;
  const isProbe = isFirst !== (faults.readsThePageBeforeTheProbe ?? false);
  const states = isProbe
    ? [0, 1].map((ticks) => probe(state.slice(), ticks))
    : [page(state, faults)];
  for (const reached of states) {
    reached[READER_STEP]! += 1;
    if (step === 1 && mustRepeat(reached)) repeatPoll(reached, faults);
    else if (!isFirst || (step === 2 && faults.keepsTheFirstPage)) finishPoll(reached, faults);
  }
  return states;
}

/** The probe met a writer between its stamp and its commit, and the page shows nothing more. */
function mustRepeat(state: State): boolean {
  return state[PROBE_QUIET] === 0 && state[PAGE_MORE] === 0;
}

/** Throws the first look away. */
function repeatPoll(state: State, faults: Faults): void {
  if (faults.keepsTheFirstPage) state.fill(0, PROBE_CLOCK, PROBE_QUIET + 1);
  else clearPoll(state);
}

function clearPoll(state: State): void {
  state.fill(0, PROBE_CLOCK, KNOWN);
}

/** A statement of its own: can the locks be had, and what is the clock? */
function probe(state: State, ticks: number): State {
  state[CLOCK]! += ticks;
  state[PROBE_CLOCK] = state[CLOCK]!;
  state[PROBE_QUIET] = Number(state[BUYER_LOCK] === 0);
  return state;
}

/** The page, whether more remains, and the newest stamp, all of one snapshot. */
function page(before: State, faults: Faults): State {
  const state = before.slice();
  const since = state[SINCE]!;
  const changed = Array.from({ length: REQUESTS }, (_, request) => request)
    .filter((request) => state[STAMP + request]! > since)
    .sort((a, b) => state[STAMP + a]! - state[STAMP + b]!);
  const last = changed[PAGE_SIZE - 1] ?? changed.at(-1);
  const edge = last === undefined ? 0 : state[STAMP + last]!;
  const entries = faults.cutsTies
    ? changed.slice(0, PAGE_SIZE)
    : changed.filter((request) => state[STAMP + request]! <= edge);
  for (const request of entries) state[PAGE_ENTRY + request] = state[STAMP + request]!;
  state[PAGE_EDGE] = edge;
  state[PAGE_MORE] = Number(changed.some((request) => state[STAMP + request]! > edge));
  state[PAGE_NEWEST] = newestStamp(state);
  return state;
}

/** The client has the page's entries, and passes `Service-As-Of` as its next `since`. */
function finishPoll(state: State, faults: Faults): void {
  const since = state[SINCE]!;
  const readAt = state[PROBE_CLOCK]!;
  const asOf = modelledServiceAsOf(state, faults);
  if (asOf < since || (state[PAGE_MORE] === 1 && asOf === since)) {
    throw new Error(`Service-As-Of went from ${since} to ${asOf}`);
  }
  // Where `since` is as late as the read allows, only a later edge makes progress.
  if (asOf >= readAt && since < readAt - 1) state[IS_LATE] = 1;
  for (let request = 0; request < REQUESTS; request += 1) {
    const stamp = state[PAGE_ENTRY + request]!;
    if (stamp !== 0) state[KNOWN + request] = stamp;
  }
  state[SINCE] = asOf;
  state[POLLED]! += 1;
  state[READER_STEP] = 0;
  clearPoll(state);
}

/** `Service-As-Of` by the service's own rule. */
function modelledServiceAsOf(state: State, faults: Faults): number {
  const edge = state[PAGE_EDGE]!;
  const hasMore = state[PAGE_MORE] === 1;
  if (faults.sendsTheEdgeAsItIs && hasMore) return edge;
  return serviceAsOf(
    state[SINCE]!,
    {
      readAtMs: state[PROBE_CLOCK]! + (faults.keepsNoMargin ? 1 : 0),
      isQuiet: state[PROBE_QUIET] === 1,
      lastFeedAtMs: edge === 0 ? null : edge,
      hasMore,
      newestMs: state[PAGE_NEWEST]!,
    },
    0,
  );
}

/** Whether a client that goes on polling, with all writers gone, ends up with every entry. */
export function receivesEveryEntry(before: State, faults: Faults): boolean {
  let state = before.slice();
  // Whatever it stamped last lies behind the clock by then.
  state[CLOCK]! += 10;
  for (let polls = 0; polls <= REQUESTS; polls += 1) {
    state = page(probe(state, 0), faults);
    finishPoll(state, faults);
  }
  for (let request = 0; request < REQUESTS; request += 1) {
    if (state[KNOWN + request] !== state[STAMP + request]) return false;
  }
  return true;
}
