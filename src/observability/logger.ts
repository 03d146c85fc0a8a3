import { pino, type DestinationStream, type Logger } from 'pino';
import type { LogLevel } from '../config/settings.js';

/** Writes a line. @param fields plain data besides the message: no secrets, no messages of drivers. */
type WriteLine = (fields: object, message: string) => void;

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
  readonly fatal: WriteLine;
  readonly error: WriteLine;
  readonly warn: WriteLine;
  readonly info: WriteLine;
  readonly debug: WriteLine;
  readonly #pino: Logger;

  /** @param destination where the lines go; standard output unless given. */
  constructor(level: LogLevel, destination: DestinationStream = toStandardOutput()) {
    const formatters = { level: (label: string) => ({ level: label }) };
    const timestamp = pino.stdTimeFunctions.isoTime;
    this.#pino = pino({ level, base: null, timestamp, formatters }, destination);
    this.fatal = this.#pino.fatal.bind(this.#pino);
    this.error = this.#pino.error.bind(this.#pino);
    this.warn = this.#pino.warn.bind(this.#pino);
    this.info = this.#pino.info.bind(this.#pino);
    this.debug = this.#pino.debug.bind(this.#pino);
  }

  /** Writes out what is still held in memory. */
  flush(): void {
    this.#pino.flush();
  }
}

/** The token of the standalone application's log; without it the module writes to the host's logger. */
export const APPLICATION_LOG = Symbol('application log');
