/**
 * A state of the model as one array of small numbers, so that copying and comparing states is
 * cheap. Committed values come first, then one block for each writer, then the reader.
 */
export type State = Uint8Array<ArrayBuffer>;

export const WRITERS = 3;
export const REQUESTS = 2;
/** Changes that one writer makes at most; each is a bit of the parts of a request. */
export const CHANGES_OF_A_WRITER = 2;

/** Committed values, those of a request at `field + request`. */
export const CLOCK = 0;
/** Holder of the buyer's lock: number of the writer + 1, 0 for none. */
export const BUYER_LOCK = 1;
/** Holder of the lock of a feed row, counted alike. */
export const ROW_LOCK = 2;
/** The changes that are committed, a bit each. */
export const DATA = 4;
/** What the read model says: the changes that its summary includes. */
export const SUMMARY = 6;
export const STAMP = 8;
/** Counts the committed versions of a feed row: REPEATABLE READ compares them. */
export const VERSION = 10;

const WRITER_BLOCK = 12;
const WRITER_SIZE = 28;

/** Where a writer's values begin. */
export const writerAt = (writer: number): number => WRITER_BLOCK + writer * WRITER_SIZE;

/** Values of a writer, as offsets in its block. */
export const STEP = 0;
export const STATUS = 1;
/** What the savepoint keeps: `KEPT_SIZE` values, and their copy at `SAVED`. */
export const KEPT = 2;
export const KEPT_SIZE = 9;
export const SAVED = KEPT + KEPT_SIZE;
/** Own changes, own stamp and own summary + 1 (0: not computed), each for two requests. */
export const OWN_DATA = KEPT;
export const OWN_STAMP = KEPT + 2;
export const OWN_SUMMARY = KEPT + 4;
/** Requests, a bit each: feed row written, to be stamped, to be recomputed. */
export const MARKED = KEPT + 6;
export const TO_STAMP = KEPT + 7;
export const TO_RECOMPUTE = KEPT + 8;
/** The snapshot of a REPEATABLE READ writer. */
export const SEEN_DATA = SAVED + KEPT_SIZE;
export const SEEN_VERSION = SEEN_DATA + 2;
export const SEEN_NEWEST = SEEN_VERSION + 2;
/** For faults: the clock at the start, and a memory that a rollback does not take back. */
export const STARTED_AT = SEEN_NEWEST + 1;
export const REMEMBERED = STARTED_AT + 1;

export const RUNNING = 0;
export const FINISHED = 1;
export const ABORTED = 2;

const READER = WRITER_BLOCK + WRITERS * WRITER_SIZE;
/** Polls that are over. */
export const POLLED = READER;
/**
 * Statements of the poll that are done: a probe and a page, and both once more after a busy probe.
 */
export const READER_STEP = READER + 1;
export const SINCE = READER + 2;
/**
 * The half of a look that is done: probe (clock, quiet) and page (edge, more, newest, stamps of its
 * entries or 0).
 */
export const PROBE_CLOCK = READER + 3;
export const PROBE_QUIET = READER + 4;
export const PAGE_EDGE = READER + 5;
export const PAGE_MORE = READER + 6;
export const PAGE_NEWEST = READER + 7;
export const PAGE_ENTRY = READER + 8;
/** The stamp at which the client has each request. */
export const KNOWN = PAGE_ENTRY + REQUESTS;
/** A `Service-As-Of` lay after the read although `since` did not. */
export const IS_LATE = KNOWN + REQUESTS;
const STATE_SIZE = IS_LATE + 1;

/**
 * Two requests, stamped at 1 and 2; the client has both, and its `since` is 3; the clock is at 5.
 */
export function initialState(): State {
  const state = new Uint8Array(STATE_SIZE);
  state[CLOCK] = 5;
  state[SINCE] = 3;
  for (let request = 0; request < REQUESTS; request += 1) {
    state[STAMP + request] = request + 1;
    state[KNOWN + request] = request + 1;
  }
  return state;
}

/** The state as a text, to look it up by. */
export function keyOf(state: State): string {
  return Buffer.from(state.buffer, state.byteOffset, state.length).toString('latin1');
}

export function newestStamp(state: State): number {
  return Math.max(state[STAMP]!, state[STAMP + 1]!);
}
