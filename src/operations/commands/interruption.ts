import { CommandError } from './command-error.js';

/** The exit codes of a process that a signal ended, as a shell reports them. */
const SIGNAL_EXIT_CODES = { SIGINT: 130, SIGTERM: 143 };

/** The error of a command that a signal interrupted. */
export class InterruptedError extends CommandError {
  constructor(
    message: string,
    override readonly exitCode: number,
  ) {
    super(message);
  }
}

/**
 * Runs work that SIGINT or SIGTERM aborts. A second signal has its usual effect and ends the
 * process.
 *
 * @param message what the command prints when it was interrupted.
 * @param work gets the signal whose reason is an `InterruptedError`.
 */
export async function interruptible<T>(
  message: string,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const interruption = new AbortController();
  const interrupt = (name: keyof typeof SIGNAL_EXIT_CODES): void =>
    interruption.abort(new InterruptedError(message, SIGNAL_EXIT_CODES[name]));
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', interrupt);
  }
}
