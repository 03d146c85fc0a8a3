/** A line of the log: the message, and plain data. No field may contain a secret. */
export interface LogLine {
  readonly msg: string;
  readonly [field: string]: unknown;
}

/**
 * The log of the service, with the methods of Nest's `LoggerService` that the service uses. In a
 * host application, it is a `Logger` of Nest, so the lines appear in the application's own log,
 * which adds the time and the level.
 */
export abstract class ServiceLogger {
  abstract log(line: LogLine): void;
  abstract warn(line: LogLine): void;
  abstract error(line: LogLine): void;
}
