import { errorFields } from '../observability/error-fields.js';
import type { JsonLogger } from '../observability/json-logger.js';

/** The service of this process, which `endOnSignals` stops. */
export interface StoppableService {
  /** Stops the service gracefully. */
  readonly stop: () => Promise<void>;
  /** Maximum duration of a stop in milliseconds; after it, the process exits. */
  readonly graceMs: number;
  readonly logger: JsonLogger;
}

/**
 * Stops the service on the first SIGTERM or SIGINT, then exits the process. A second signal, the
 * end of the grace period, or an uncaught exception makes the process exit at once. Uncaught errors
 * are logged without their messages.
 *
 * @returns a function to call after the service has stopped without a signal. It ends this
 *   handling.
 */
export function endOnSignals({ stop, graceMs, logger }: StoppableService): () => void {
  let isStopping = false;

  const exit = (code: number): never => {
    logger.flush();
    process.exit(code);
  };
  const onRejection = (reason: unknown): void => {
    logger.error({ msg: 'unhandled rejection', ...errorFields(reason) });
  };
  const onException = (error: Error): void => {
    logger.fatal({ msg: 'uncaught exception', ...errorFields(error) });
    exit(1);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      logger.warn({ msg: 'second signal, exiting', signal });
      exit(1);
    }
    isStopping = true;
    logger.log({ msg: 'stopping', signal });
    setTimeout(() => {
      logger.error({ msg: 'shutdown grace period exceeded, exiting', graceMs });
      exit(1);
    }, graceMs).unref();
    void stop().then(
      () => {
        logger.log({ msg: 'stopped' });
        exit(0);
      },
      (error: unknown) => {
        logger.error({ msg: 'shutdown failed', ...errorFields(error) });
        exit(1);
      },
    );
  };

  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  return () => {
    // A second signal during the stop still ends the process.
    if (isStopping) return;
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
  };
}
