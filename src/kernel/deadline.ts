import { AppError } from './app-error.js';
import { afterTime, newController, TimeLimitError } from './time-limit.js';

/** The contract's time limit of a request, in milliseconds (section 8). */
export const CONTRACT_DEADLINE_MS = 8_000;

/** The time limit of a request. All work for the request shares one deadline. */
export interface Deadline {
  /** Aborted with `unavailable` at the deadline, and when the caller no longer waits. */
  readonly signal: AbortSignal;
  /** Returns the milliseconds that are left; 0 or less after the deadline. */
  remainingMs(): number;
}

/** A deadline that runs from its creation until `stop` or `abort` is called. */
export class RunningDeadline implements Deadline {
  readonly signal: AbortSignal;
  readonly #controller = newController();
  readonly #endsAt: number;
  readonly #cancel: () => void;

  /** @param limitMs milliseconds from now. */
  constructor(limitMs: number) {
    this.signal = this.#controller.signal;
    this.#endsAt = performance.now() + limitMs;
    this.#cancel = afterTime(limitMs, () => this.abort());
  }

  remainingMs(): number {
    return this.#endsAt - performance.now();
  }

  /** Cancels the deadline, because the work is done. */
  stop(): void {
    this.#cancel();
  }

  /**
   * Aborts the signal now.
   *
   * @param reason the signal's reason; default: `unavailable`.
   */
  abort(reason: unknown = new AppError('unavailable', { cause: new TimeLimitError() })): void {
    this.#cancel();
    this.#controller.abort(reason);
  }
}
