import { errorFields } from '../observability/error-fields.js';
import type { JsonLogger } from '../observability/json-logger.js';

/** A service that `endOnSignals` stops. */
export interface StoppableService {
  /** Stops the service gracefully. It must not be called more than once. */
  readonly stop: () => Promise<void>;
  /** Maximum duration of a stop in milliseconds; after it, the process exits. */
  readonly graceMs: number;
  readonly logger: JsonLogger;
}

const services = new Set<StoppableService>();
let isStopping = false;

/**
 * Stops the service on the first SIGTERM or SIGINT, then exits the process. A second signal, the
 * end of the grace period, or an uncaught exception makes the process exit at once. Uncaught errors
 * are logged without their messages.
 *
 * @returns a function to call after the service has stopped without a signal. It removes the
 *   service from this handling.
 */
export function endOnSignals(service: StoppableService): () => void {
  if (services.size === 0) {
    process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
    process.on('unhandledRejection', onRejection).on('uncaughtException', onException);
  }
  services.add(service);
  return () => {
    services.delete(service);
    if (services.size > 0 || isStopping) return;
    process.off('SIGTERM', onSignal).off('SIGINT', onSignal);
    process.off('unhandledRejection', onRejection).off('uncaughtException', onException);
  };
}

function onRejection(reason: unknown): void {
  logToAll((logger) => logger.error({ msg: 'unhandled rejection', ...errorFields(reason) }));
}

function onException(error: Error): void {
  logToAll((logger) => logger.fatal({ msg: 'uncaught exception', ...errorFields(error) }));
  end(1);
}

function onSignal(signal: NodeJS.Signals): void {
  if (isStopping) {
    logToAll((logger) => logger.warn({ msg: 'second signal, exiting', signal }));
    end(1);
  }
  isStopping = true;
  logToAll((logger) => logger.log({ msg: 'stopping', signal }));
  const graceMs = Math.max(...[...services].map((service) => service.graceMs));
  setTimeout(() => {
    logToAll((logger) => logger.error({ msg: 'shutdown grace period exceeded, exiting', graceMs }));
    end(1);
  }, graceMs).unref();
  void Promise.all([...services].map(stopped)).then((all) => end(all.every(Boolean) ? 0 : 1));
}

async function stopped({ stop, logger }: StoppableService): Promise<boolean> {
  try {
    await stop();
    logger.log({ msg: 'stopped' });
    return true;
  } catch (error) {
    logger.error({ msg: 'shutdown failed', ...errorFields(error) });
    return false;
  }
}

function logToAll(write: (logger: JsonLogger) => void): void {
  for (const { logger } of services) write(logger);
}

function end(exitCode: number): never {
  for (const { logger } of services) logger.flush();
  process.exit(exitCode);
}
