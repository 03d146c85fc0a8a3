import { Logger, type LoggerService } from '@nestjs/common';
import type { DestinationStream } from 'pino';
import { errorFields } from './error-fields.js';
import type { Log } from './logger.js';

/** The contexts of Nest's own start-up lines, which are logged at level `debug`. */
const NEST_OWN: readonly unknown[] = [
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
];

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug';
type Write = (message: unknown, ...rest: unknown[]) => void;

/**
 * Writes the lines of Nest and of a host application's `Logger` to the service's log. An error's
 * message may contain values that must not be logged, so `errorFields` selects what is written of
 * an error.
 */
export class NestLog implements LoggerService {
  readonly log = this.#writer((context) => (NEST_OWN.includes(context) ? 'debug' : 'info'));
  readonly error = this.#writer(() => 'error');
  readonly warn = this.#writer(() => 'warn');
  readonly debug = this.#writer(() => 'debug');
  readonly verbose = this.debug;
  readonly fatal = this.#writer(() => 'fatal');

  constructor(private readonly sink: Log) {}

  /** Nest passes its context as the last element of `rest`, after a stack if there is one. */
  #writer(levelOf: (context: unknown) => Level): Write {
    return (message, ...rest) => {
      const last = rest.at(-1);
      const level = levelOf(last);
      const context = typeof last === 'string' && !isStack(last) ? { context: last } : {};
      const thrown = [message, ...rest].find((argument) => argument instanceof Error);
      if (thrown) {
        this.sink[level]({ ...context, ...errorFields(thrown) }, 'the framework met an error');
        return;
      }
      // A message that the stack contains is the message of an error, which must not be logged.
      const isOwn = (argument: unknown): boolean =>
        isStack(argument) && argument.includes(String(message));
      const isPlain = typeof message === 'string' && !rest.some(isOwn);
      this.sink[level](context, isPlain ? message : 'the framework reported a problem');
    };
  }
}

function isStack(value: unknown): value is string {
  return typeof value === 'string' && value.includes('\n    at ');
}

/** Writes the module's lines to the logger of the host application, as objects with `msg`. */
export function toHostLogger(): DestinationStream {
  const logger = new Logger('DealSetsModule');
  return {
    write(line: string): void {
      const { level, ...fields } = JSON.parse(line) as { level: Level };
      logger[level === 'info' ? 'log' : level](fields);
    },
  };
}
