/** The time one sign-in may take in milliseconds, its waits for keys and for a connection included. */
export const SIGN_IN_LIMIT_MS = 1000;
