import { TIME_LIMITS, type TimeLimits } from '../../src/kernel/time-limits.js';

/** How many times longer the limits are in tests, so that a busy machine does not reach them. */
const FACTOR = 60;
const names = Object.keys(TIME_LIMITS) as (keyof TimeLimits)[];
for (const name of names) TIME_LIMITS[name] *= FACTOR;
const LONG_LIMITS: Readonly<TimeLimits> = { ...TIME_LIMITS };

/** Starts an application in which some limits are as short as a test needs them. */
export async function withLimits<T>(
  limits: Partial<TimeLimits> = {},
  start: () => Promise<T>,
): Promise<T> {
  Object.assign(TIME_LIMITS, limits);
  try {
    return await start();
  } finally {
    Object.assign(TIME_LIMITS, LONG_LIMITS);
  }
}
