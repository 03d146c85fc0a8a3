/**
 * Preloaded into a process of the built service. It raises the time limits of the sign-in so that a
 * busy machine does not exceed them.
 */
import { SIGN_IN_LIMITS } from '../../dist/auth/sign-in-limits.js';

SIGN_IN_LIMITS.signInMs = 60_000;
SIGN_IN_LIMITS.keyDownloadMs = 30_000;
