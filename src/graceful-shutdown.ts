import { errorFields } from './observability/error-fields.js';
import type { Log } from './observability/logger.js';

/** A service that `endOnSignals` stops. */
export interface StoppableService {
  /** Stops the service gracefully. It must not be called more than once. */
  readonly stop: () => Promise<void>;
  /** Maximum duration of a stop in milliseconds; after it, the process exits. */
  readonly graceMs: number;
  readonly log: Log;
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
