import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings.js';

/** What a log line may carry besides its message: plain data, no secrets, no messages of drivers. */
export type LogFields = object;

let standardOutput: ReturnType<typeof pino.destination> | undefined;

/**
 * Standard output, written in batches off the request's path: at 8 KB, or after a second. pino flushes
 * it when the process exits, also through `process.exit`. One for the process, so that lines of several
 * loggers never mix.
 */
function toStandardOutput(): DestinationStream {
  standardOutput ??= pino.destination({
    dest: 1,
    sync: false,
    minLength: 8_192,
    periodicFlush: 1_000,
  });
  return standardOutput;
}

/** The service's log: one JSON object a line, with `time`, `level` and `msg`. */
export class Log {
  readonly #pino: Logger;

  /** @param destination where the lines go; standard output unless given. */
  constructor(level: LogLevel, destination: DestinationStream = toStandardOutput()) {
    this.#pino = pino(
      {
        level,
        base: null,
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      destination,
    );
  }

  fatal(fields: LogFields, message: string): void {
    this.#pino.fatal(fields, message);
  }

  error(fields: LogFields, message: string): void {
    this.#pino.error(fields, message);
  }

  warn(fields: LogFields, message: string): void {
    this.#pino.warn(fields, message);
  }

  info(fields: LogFields, message: string): void {
    this.#pino.info(fields, message);
  }

  debug(fields: LogFields, message: string): void {
    this.#pino.debug(fields, message);
  }

  /** Writes out what is still held in memory. */
  flush(): void {
    this.#pino.flush();
  }
}
