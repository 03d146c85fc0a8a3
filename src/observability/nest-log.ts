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

type Level = 'fatal' | 'error' | 'warn' | 'info' | 'debug';
type Write = (message: unknown, ...rest: unknown[]) => void;

/**
 * Lines of Nest and of a team's `Logger` as lines of the service's log. Message and stack of an error may quote what
 * must not be logged: it is written as class and code.
 */
export class NestLog implements LoggerService {
  readonly log = this.#writer((context) => (NEST_OWN.includes(context) ? 'debug' : 'info'));
  readonly error = this.#writer(() => 'error');
  readonly warn = this.#writer(() => 'warn');
  readonly debug = this.#writer(() => 'debug');
  readonly verbose = this.debug;
  readonly fatal = this.#writer(() => 'fatal');

  constructor(private readonly sink: Log) {}

  /** Nest passes its context as the last of `rest`, and a stack before it where it has one. */
  #writer(levelOf: (context: unknown) => Level): Write {
    return (message, ...rest) => {
      const last = rest.at(-1);
      const level = levelOf(last);
      const context = typeof last === 'string' && !isStack(last) ? { context: last } : {};
      const thrown = [message, ...rest].find((part) => part instanceof Error);
      if (thrown) {
        this.sink[level]({ ...context, ...errorFields(thrown) }, 'the framework met an error');
        return;
      }
      // A stack that holds the message: then the message is an error's own.
      const isOwn = (part: unknown): boolean => isStack(part) && part.includes(String(message));
      const isPlain = typeof message === 'string' && !rest.some(isOwn);
      this.sink[level](context, isPlain ? message : 'the framework reported a problem');
    };
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
      const { level, ...fields } = JSON.parse(line) as { level: Level };
      logger[level === 'info' ? 'log' : level](fields);
    },
  };
}
