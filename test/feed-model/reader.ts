import { serviceAsOf } from '../../src/deal-sets/domain/watermark.js';
import {
  BUCKET_LOCK,
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
/** The number of entries on a page, besides ties. It is minimal, so that more often remains. */
const PAGE_SIZE = 1;

/** Returns the states that the reader's next step can reach; none after its last poll. */
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

/** Returns whether the probe met a writer between stamp and commit, and no more remains. */
function mustRepeat(state: State): boolean {
  return state[PROBE_QUIET] === 0 && state[PAGE_MORE] === 0;
}

/** Discards the probe and the page, so that the poll repeats both. */
function repeatPoll(state: State, faults: Faults): void {
  if (faults.keepsTheFirstPage) state.fill(0, PROBE_CLOCK, PROBE_QUIET + 1);
  else clearPoll(state);
}

function clearPoll(state: State): void {
  state.fill(0, PROBE_CLOCK, KNOWN);
}

/** Runs the first statement of a poll: reads the clock and whether the buyer's lock is free. */
function probe(state: State, ticks: number): State {
  state[CLOCK]! += ticks;
  state[PROBE_CLOCK] = state[CLOCK]!;
  state[PROBE_QUIET] = Number(state[BUCKET_LOCK] === 0);
  return state;
}

/** Runs the second statement: reads the page, whether more remains, and the newest stamp. */
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

/** Stores the page's entries at the client, with `Service-As-Of` as its next `since`. */
function finishPoll(state: State, faults: Faults): void {
  const since = state[SINCE]!;
  const readAt = state[PROBE_CLOCK]!;
  const asOf = modelledServiceAsOf(state, faults);
  if (asOf < since || (state[PAGE_MORE] === 1 && asOf === since)) {
    throw new Error(`Service-As-Of went from ${since} to ${asOf}`);
  }
  // A `since` one millisecond before the read can advance only to an edge after the read.
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

/** Computes `Service-As-Of` with the service's own function, or as the planted fault does. */
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

/** Returns whether a client that continues to poll after all writers ended gets every entry. */
export function receivesEveryEntry(before: State, faults: Faults): boolean {
  let state = before.slice();
  // Every stamp is before the clock by then.
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
