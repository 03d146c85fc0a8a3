import { errorFields } from './observability/error-fields.js';
import type { Log } from './observability/logger.js';

/** A service that `endOnSignals` stops. */
export interface StoppableService {
  /** Stops in order. It may be called once. */
  readonly stop: () => Promise<void>;
  /** The longest duration of a stop, in milliseconds; then the process ends. */
  readonly graceMs: number;
  readonly log: Log;
}

const services = new Set<StoppableService>();
let isStopping = false;

/**
 * Ends the process in order on the first signal; at once on the second signal, or when the grace
 * period is over. An uncaught error is logged by class and code, never by its message.
 *
 * @returns a function that ends the process after the service has stopped without a signal.
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
  logToAll((log) => log.error(errorFields(reason), 'unhandled rejection'));
}

function onException(error: Error): void {
  logToAll((log) => log.fatal(errorFields(error), 'uncaught exception'));
  end(1);
}

function onSignal(signal: NodeJS.Signals): void {
  if (isStopping) {
    logToAll((log) => log.warn({ signal }, 'second signal, exiting'));
    end(1);
  }
  isStopping = true;
  logToAll((log) => log.info({ signal }, 'stopping'));
  const graceMs = Math.max(...[...services].map((service) => service.graceMs));
  setTimeout(() => {
    logToAll((log) => log.error({ graceMs }, 'shutdown grace period exceeded, exiting'));
    end(1);
  }, graceMs).unref();
  void Promise.all([...services].map(stopped)).then((all) => end(all.every(Boolean) ? 0 : 1));
}

async function stopped({ stop, log }: StoppableService): Promise<boolean> {
  try {
    await stop();
    log.info({}, 'stopped');
    return true;
  } catch (error) {
    log.error(errorFields(error), 'shutdown failed');
    return false;
  }
}

function logToAll(write: (log: Log) => void): void {
  for (const { log } of services) write(log);
}

function end(exitCode: number): never {
  for (const { log } of services) log.flush();
  process.exit(exitCode);
}
