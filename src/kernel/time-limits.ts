/**
 * How long the service waits for others before it does without them, in milliseconds. Each
 * application gets a frozen copy, which its parts inject. The deadline of a request and the grace
 * of a shutdown are settings.
 */
export class TimeLimits {
  /** A sign-in, including its waits for keys and for a database connection. */
  signInMs = 1_000;
  /** A download of the issuer's keys, metadata included. */
  keyDownloadMs = 900;
  /** The evaluation of a flag by a host application's `Rollout`. The flag is then off. */
  flagMs = 500;
  /** The wait for a connection to the database, pooled or new. */
  databaseConnectionMs = 2_000;
  /**
   * A round trip to a replica, at most half of the deadline of a request. The primary then serves
   * the read, which leaves three quarters of the contract's deadline.
   */
  replicaMs = 2_000;
  /** A statement of a health check, or of the report at the start. */
  healthCheckMs = 1_000;
  /**
   * The reply counts of a page. It is within the contract's `itemDeadlineMs`, and shorter than the
   * wait for a connection, so that other pages get a connection while reply look-ups hang.
   */
  repliesMs = 1_500;
  /** The texts of a response, if a host application has its own. */
  displayTextsMs = 1_000;
  /** The values of one custom field. */
  customFieldMs = 2_000;
  /** A count in the shared counters. The call is then counted in the process. */
  sharedCountMs = 300;
  /** The first connection to Redis, for which the start of the application waits. */
  redisConnectionMs = 500;
  /** The first reply of Redis, for which the start of the application waits. */
  redisStartReplyMs = 500;
  /** A new connection to Redis, or one without a reply, is closed and opened again. */
  redisSocketMs = 1_000;
}

/** The limits of the applications that start from now on. */
export const TIME_LIMITS = new TimeLimits();
