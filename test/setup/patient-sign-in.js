/**
 * Preloaded into a process of the built service: its sign-in has time limits that a machine that is
 * busy with other work does not reach.
 */
import { SIGN_IN_LIMIT } from '../../dist/auth/credential.guard.js';
import { KEY_SET_TIMES } from '../../dist/auth/remote-issuer.js';

SIGN_IN_LIMIT.milliseconds = 60_000;
KEY_SET_TIMES.download = 30_000;
