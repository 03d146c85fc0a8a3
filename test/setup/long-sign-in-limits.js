/**
 * Preloaded into a process of the built service. It raises the time limits of the sign-in so that a
 * busy machine does not exceed them.
 */
import { SIGN_IN_LIMIT } from '../../dist/auth/sign-in.js';
import { KEY_SET_TIMES } from '../../dist/auth/issuer/remote-issuer.js';

SIGN_IN_LIMIT.milliseconds = 60_000;
KEY_SET_TIMES.download = 30_000;
