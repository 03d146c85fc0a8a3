import { Logger, type LoggerService } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { errorFields } from './error-fields.js';
import type { Log } from './logger.js';

/** Contexts of the framework's lines about its start, a dozen each time. */
const NEST_OWN: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

/** Nest's word for each of our levels. */
const NEST_METHODS = {
  fatal: 'fatal',
  error: 'error',
  warn: 'warn',
  info: 'log',
  debug: 'debug',
} as const;

/**
 * Lines of Nest and of a team's `Logger` as lines of the service's log. Nest and its modules hand over errors with message and
 * stack; both may quote what must not be logged, so an error is written as class and code.
 */
export class NestLog implements LoggerService {
  constructor(private readonly sink: Log) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.#write(NEST_OWN.includes(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.#write('error', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.#write('warn', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: unknown[]): void {
    this.#write('debug', message, rest);
  }

  fatal(message: unknown, ...rest: unknown[]): void {
    this.#write('fatal', message, rest);
  }

  /** Nest passes its context as the last of `rest`, and a stack before it where it has one. */
  #write(level: keyof typeof NEST_METHODS, message: unknown, rest: unknown[]): void {
    const last = rest.at(-1);
    const context = typeof last === 'string' && !isStack(last) ? { context: last } : {};
    const thrown = [message, ...rest].find((part) => part instanceof Error);
    // A stack that holds the message: then the message is an error's own.
    const isOwn = (part: unknown): boolean => isStack(part) && part.includes(String(message));
    if (thrown) {
      this.sink[level]({ ...context, ...errorFields(thrown) }, 'the framework met an error');
    } else if (typeof message === 'string' && !rest.some(isOwn)) {
      this.sink[level](context, message);
    } else {
      this.sink[level](context, 'the framework reported a problem');
    }
  }
}

function isStack(part: unknown): part is string {
  return typeof part === 'string' && part.includes('\n    at ');
}

/** Where the module's lines go in an application of a team: to its logger, as objects with `msg`. */
export function toHostLogger(): DestinationStream {
  const logger = new Logger('DealSetsModule');
  return {
    write(line: string): void {
      const { level, ...fields } = JSON.parse(line) as { level: keyof typeof NEST_METHODS };
      logger[NEST_METHODS[level]](fields);
    },
  };
}
