import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream } from 'pino';
import type { LogLevel } from '../config/setting-parsers.js';
import { errorFields } from './error-fields.js';
import type { LogLine } from './service-logger.js';

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

/** The contexts of Nest's own start-up lines, which are logged at level `debug`. */
const NEST_OWN: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

/**
 * The logger of the standalone application: one JSON object per line, with `time`, `level` and
 * `msg`. An object with the text `msg`, such as every line of the service, is written with its
 * fields. Any other text is written as it is. Of an error, only the fields that `errorFields`
 * selects are written, because its message may contain values.
 */
export class JsonLogger implements LoggerService {
  readonly #pino;

  /** @param destination where the lines are written. Default: standard output. */
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

  log(message: unknown, ...rest: unknown[]): void {
    this.#write(NEST_OWN.includes(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('trace', message, rest);
  }

  /** Writes the lines that are still in memory. */
  flush(): void {
    this.#pino.flush();
  }

  /** Nest passes its context as the last element of `rest`, after a stack if there is one. */
  #write(
    level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace',
    message: unknown,
    rest: readonly unknown[],
  ): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' && !isStack(last) ? { context: last } : {};
    if (isLine(message)) {
      const { msg, ...fields } = message;
      this.#pino[level]({ ...context, ...fields }, msg);
      return;
    }
    const thrown = [message, ...rest].find((argument) => argument instanceof Error);
    if (thrown) {
      this.#pino[level]({ ...context, ...errorFields(thrown) }, 'error in Nest');
      return;
    }
    // Nest passes an error as its message and its stack, so a message that occurs in the stack is
    // that of an error, which must not be logged.
    const isItsStack = (argument: unknown): boolean =>
      isStack(argument) && argument.includes(String(message));
    const isPlain = typeof message === 'string' && !rest.some(isItsStack);
    this.#pino[level](context, isPlain ? message : 'problem in Nest');
  }
}

function isLine(value: unknown): value is LogLine {
  if (typeof value !== 'object' || value === null || value instanceof Error) return false;
  return typeof (value as Partial<LogLine>).msg === 'string';
}

function isStack(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n    at ');
}
