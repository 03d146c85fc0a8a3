import type { ThrottlerRecord } from './rate-limit-storage.js';
import type { Admission } from './sliding-log.js';

/** Timers of clients fire up to a millisecond early (Node's do), and clocks differ a little in speed. */
const EARLY_TIMER_MS = 2;

/**
 * An admission in the library's terms. Whole seconds, rounded up so that a client which waits exactly that
 * long is admitted although its timer fires early. Never longer than the window, after which every hit is over.
 */
export function throttlerRecord(admission: Admission, windowMs: number): ThrottlerRecord {
  return {
    totalHits: admission.isAdmitted ? admission.hits : admission.hits + 1,
    timeToExpire: Math.ceil(windowMs / 1000),
    isBlocked: !admission.isAdmitted,
    timeToBlockExpire: admission.isAdmitted
      ? 0
      : Math.min(
          Math.max(1, Math.ceil((admission.retryAfterMs + EARLY_TIMER_MS) / 1000)),
          Math.max(1, Math.ceil(windowMs / 1000)),
        ),
  };
}
