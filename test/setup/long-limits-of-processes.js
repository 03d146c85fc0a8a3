/** Preloaded into a process of the built service: its limits are those of `long-limits.ts`. */
import { TIME_LIMITS } from '../../dist/kernel/time-limits.js';

for (const name of Object.keys(TIME_LIMITS)) TIME_LIMITS[name] *= 60;
