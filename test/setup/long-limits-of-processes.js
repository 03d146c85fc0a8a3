/** Preloaded into a process of the built service: its limits are those of `long-limits.ts`. */
import { TIME_LIMITS } from '../../dist/kernel/time-limits.js';

/** The same as in `long-limits.ts`, which a process of the built service cannot import. */
const FACTOR = 60;
for (const name of Object.keys(TIME_LIMITS)) TIME_LIMITS[name] *= FACTOR;
