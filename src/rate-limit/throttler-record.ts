import type { ThrottlerRecord } from './rate-limit-storage.js';
import type { Admission } from './sliding-log.js';

/** An admission in the library's terms: whole seconds, rounded up so that waiting them is enough. */
export function throttlerRecord(admission: Admission, windowMs: number): ThrottlerRecord {
  return {
    totalHits: admission.isAdmitted ? admission.hits : admission.hits + 1,
    timeToExpire: Math.ceil(windowMs / 1000),
    isBlocked: !admission.isAdmitted,
    timeToBlockExpire: admission.isAdmitted
      ? 0
      : Math.max(1, Math.ceil(admission.retryAfterMs / 1000)),
  };
}
