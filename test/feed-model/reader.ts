import { serviceAsOf } from '../../src/deal-sets/domain/feed-position.js';
import {
  BUYER_LOCK,
  CLOCK,
  KNOWN,
  newestStamp,
  PAGE_EDGE,
  PAGE_MORE,
  PAGE_NEWEST,
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
export function nextOfReader(state: State, faults: Faults): State[] {
  const step = state[READER_STEP]!;
  if (step === 2 * POLLS) return [];
  const isFirst = step % 2 === 0;
  const isProbe = isFirst !== (faults.readsThePageBeforeTheProbe ?? false);
  const states = isProbe
    ? [0, 1].map((ticks) => probe(state.slice(), ticks))
    : [page(state, faults)];
  for (const reached of states) {
    reached[READER_STEP]! += 1;
    if (!isFirst) finishPoll(reached, faults);
  }
  return states;
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
  for (const request of entries) state[KNOWN + request] = state[STAMP + request]!;
  state[PAGE_EDGE] = edge;
  state[PAGE_MORE] = Number(changed.some((request) => state[STAMP + request]! > edge));
  state[PAGE_NEWEST] = newestStamp(state);
  return state;
}

/** Derives `Service-As-Of` by the service's own rule; the client passes it as its next `since`. */
function finishPoll(state: State, faults: Faults): void {
  const since = state[SINCE]!;
  const asOf = serviceAsOf(
    since,
    {
      readAtMs: state[PROBE_CLOCK]! + (faults.keepsNoMargin ? 1 : 0),
      isQuiet: state[PROBE_QUIET] === 1,
      lastFeedAtMs: state[PAGE_EDGE] === 0 ? null : state[PAGE_EDGE]!,
      hasMore: state[PAGE_MORE] === 1,
      newestMs: state[PAGE_NEWEST]!,
    },
    0,
  );
  if (asOf < since || (state[PAGE_MORE] === 1 && asOf === since)) {
    throw new Error(`Service-As-Of went from ${since} to ${asOf}`);
  }
  state[SINCE] = asOf;
  state.fill(0, PROBE_CLOCK, PAGE_NEWEST + 1);
}

/** Whether a client that goes on polling, with all writers gone, ends up with every entry. */
export function learnsEverything(before: State, faults: Faults): boolean {
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
