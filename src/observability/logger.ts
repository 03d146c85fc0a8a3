import { pino, type DestinationStream } from 'pino';
import type { LogLevel } from '../config/setting-parsers.js';

/**
 * Writes one line at a level.
 *
 * @param fields plain data besides the message. It must not contain secrets or messages of drivers.
 */
export type WriteLine = (fields: object, message: string) => void;

let standardOutput: DestinationStream | undefined;

/**
 * Returns the stream to standard output, which is written asynchronously and in batches. pino
 * flushes the stream when the process exits, even through `process.exit`. All loggers of the
 * process share one stream, so that their lines never mix.
 */
function toStandardOutput(): DestinationStream {
  const options = { dest: 1, sync: false, minLength: 8_192, periodicFlush: 1_000 };
  return (standardOutput ??= pino.destination(options));
}

/** The service's log: one JSON object per line, with `time`, `level` and `msg`. */
export class Log {
  readonly #pino = pino(
    {
      level: this.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    this.destination,
  );
  readonly fatal: WriteLine = this.#pino.fatal.bind(this.#pino);
  readonly error: WriteLine = this.#pino.error.bind(this.#pino);
  readonly warn: WriteLine = this.#pino.warn.bind(this.#pino);
  readonly info: WriteLine = this.#pino.info.bind(this.#pino);
  readonly debug: WriteLine = this.#pino.debug.bind(this.#pino);

  /** @param destination where the lines are written. Default: standard output. */
  constructor(
    private readonly level: LogLevel,
    private readonly destination: DestinationStream = toStandardOutput(),
  ) {}

  flush(): void {
    this.#pino.flush();
  }
}
