import { errorFields } from './observability/error-fields.js';
import type { Log } from './observability/logger.js';

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/**
 * Ends the process in order on the first signal, at once on the second, and in any case when the grace
 * period is over. An uncaught error is logged by class and code, never by its message.
 *
 * @param graceMs hard end of a stop, in milliseconds.
 */
export function endOnSignals(stop: () => Promise<void>, graceMs: number, log: Log): void {
  let isStopping = false;
  const end = (exitCode: number): never => {
    log.flush();
    process.exit(exitCode);
  };
  const onSignal = (signal: NodeJS.Signals): void => {
    if (isStopping) {
      log.warn({ signal }, 'second signal, exiting');
      end(1);
    }
    isStopping = true;
    log.info({ signal }, 'stopping');
    setTimeout(() => {
      log.error({ graceMs }, 'shutdown grace period exceeded, exiting');
      end(1);
    }, graceMs).unref();
    stop().then(
      () => {
        log.info({}, 'stopped');
        end(0);
      },
      (error: unknown) => {
        log.error(errorFields(error), 'shutdown failed');
        end(1);
      },
    );
  };
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('unhandledRejection', (reason) => {
    log.error(errorFields(reason), 'unhandled rejection');
  });
  process.on('uncaughtException', (error) => {
    log.fatal(errorFields(error), 'uncaught exception');
    end(1);
  });
}
