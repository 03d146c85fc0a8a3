/**
 * The time limits and intervals of sign-in, in milliseconds. Each application gets a copy of its
 * own.
 */
export class SignInLimits {
  /** The limit of one sign-in, including waits for keys and for a database connection. */
  signInMs = 1_000;
  /** The limit of one download of the issuer's keys, metadata included. */
  keyDownloadMs = 900;
  /** The issuer's keys are downloaded again after this time. */
  keyRefreshMs = 600_000;
  /** Minimum pause between downloads for unknown key ids, and after a failed download. */
  keyCoolDownMs = 1_000;
}

/** The limits of an application that starts. Tests on a busy machine raise them before that. */
export const SIGN_IN_LIMITS = new SignInLimits();
