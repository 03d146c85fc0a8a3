/**
 * A state of the model in one array of small numbers, which is cheap to copy and to compare. The
 * committed values come first, then one block for each writer, then the reader. The constants below
 * are indexes into the array; a value of a request is at the index plus the request's number.
 */
export type State = Uint8Array<ArrayBuffer>;

export const WRITERS = 3;
export const REQUESTS = 2;
/** The maximum number of changes of one writer. Each change is one bit of a set of changes. */
export const CHANGES_OF_A_WRITER = 2;

/** The database's clock. */
export const CLOCK = 0;
/** The holder of the lock of the bucket of the buyer: the writer's number plus 1, or 0 for none. */
export const BUCKET_LOCK = 1;
/** The holder of the lock of a request's feed row, in the same form. */
export const ROW_LOCK = 2;
/** The committed changes of a request. */
export const DATA = 4;
/** The changes that the request's summary in the read model includes. */
export const SUMMARY = 6;
/** The committed stamp of a request. */
export const STAMP = 8;
/** The number of committed versions of a feed row, which REPEATABLE READ compares. */
export const VERSION = 10;

const WRITER_BLOCK = 12;
const WRITER_SIZE = 28;

/** Returns the index at which a writer's block begins. */
export const writerAt = (writer: number): number => WRITER_BLOCK + writer * WRITER_SIZE;

/** The number of the writer's next step. The following constants are offsets in its block. */
export const STEP = 0;
export const STATUS = 1;
/** The `KEPT_SIZE` values that a savepoint copies to `SAVED`. */
export const KEPT = 2;
export const KEPT_SIZE = 9;
export const SAVED = KEPT + KEPT_SIZE;
/** Uncommitted changes, stamp, and summary plus 1 (0: not computed), each for two requests. */
export const OWN_DATA = KEPT;
export const OWN_STAMP = KEPT + 2;
export const OWN_SUMMARY = KEPT + 4;
/** Sets of requests, one bit each: with a written feed row, to be stamped, to be recomputed. */
export const MARKED = KEPT + 6;
export const TO_STAMP = KEPT + 7;
export const TO_RECOMPUTE = KEPT + 8;
/** The snapshot of a REPEATABLE READ writer. */
export const SEEN_DATA = SAVED + KEPT_SIZE;
export const SEEN_VERSION = SEEN_DATA + 2;
export const SEEN_NEWEST = SEEN_VERSION + 2;
/** For faults: the clock at the start, and a flag that a rollback does not reset. */
export const STARTED_AT = SEEN_NEWEST + 1;
export const REMEMBERED = STARTED_AT + 1;

export const RUNNING = 0;
export const FINISHED = 1;
export const ABORTED = 2;

const READER = WRITER_BLOCK + WRITERS * WRITER_SIZE;
/** The number of finished polls. */
export const POLLED = READER;
/**
 * The number of finished statements of the poll: a probe and a page, and both again after a probe
 * that met a writer.
 */
export const READER_STEP = READER + 1;
export const SINCE = READER + 2;
/**
 * The results of the poll's statements: the probe's clock, and whether no writer was active; the
 * page's edge, whether more remains, the newest stamp, and the stamps of the entries (0: not on the
 * page).
 */
export const PROBE_CLOCK = READER + 3;
export const PROBE_QUIET = READER + 4;
export const PAGE_EDGE = READER + 5;
export const PAGE_MORE = READER + 6;
export const PAGE_NEWEST = READER + 7;
export const PAGE_ENTRY = READER + 8;
/** The stamp of each request at the client. */
export const KNOWN = PAGE_ENTRY + REQUESTS;
/** Whether a `Service-As-Of` was after the read although `since` was before it. */
export const IS_LATE = KNOWN + REQUESTS;
const STATE_SIZE = IS_LATE + 1;

/**
 * Returns the first state: the two requests have the stamps 1 and 2, the client has both and a
 * `since` of 3, and the clock is at 5.
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

/** Returns the state as text, for a set of visited states. */
export function keyOf(state: State): string {
  return Buffer.from(state.buffer, state.byteOffset, state.length).toString('latin1');
}

export function newestStamp(state: State): number {
  return Math.max(state[STAMP]!, state[STAMP + 1]!);
}
