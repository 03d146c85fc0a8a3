import { performance } from 'node:perf_hooks';
import { AppError } from './app-error.js';
import { TimeLimit } from './time-limit.js';

type Listener = (reason: AppError) => void;

/** How much later a part ends by itself than the deadline that it belongs to. */
const PARENT_FIRST_MS = 100;

/**
 * The time one request may take, from its arrival to its response: sign-in, waits for a connection and
 * every statement included. It ends early when the client goes away.
 *
 * Lighter than an AbortSignal: most requests register one listener at a time and remove it
 * again, which an EventTarget makes dear. Code that wants the standard form asks for `signal`.
 */
export class Deadline {
  readonly #expiresAt: number;
  readonly #parent: Deadline | undefined;
  /** Whether a time limit ends it; until then a look at it compares the clock. */
  #isWatched = false;
  #limit: TimeLimit | undefined;
  readonly #listeners = new Set<Listener>();
  #reason: AppError | undefined;
  #controller: AbortController | undefined;
  #leaveParent: (() => void) | undefined;

  /**
   * @param budgetMs milliseconds from now until the deadline.
   * @param parent see `within`.
   */
  constructor(budgetMs: number, parent?: Deadline) {
    this.#expiresAt = performance.now() + budgetMs;
    this.#parent = parent;
    if (!parent) this.#watch();
  }

  /** Why the request is over (`unavailable`), or undefined while it runs. */
  get reason(): AppError | undefined {
    if (!this.#isWatched && (this.#parent?.reason || performance.now() >= this.#expiresAt)) {
      this.end();
    }
    return this.#reason;
  }

  /** Milliseconds left, never negative. */
  get remainingMs(): number {
    return this.reason ? 0 : Math.max(0, this.#expiresAt - performance.now());
  }

  /** The same deadline as an AbortSignal, for ports and libraries that take one. */
  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      this.#watch();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /**
   * A limit of its own within this deadline, for one call of a port: it ends when its time is up, with this
   * deadline, or by `end()` when the call is given up. `finish()` it when the call is over. It costs no timer
   * until something waits for its end.
   *
   * @param limitMs milliseconds from now.
   */
  within(limitMs: number): Deadline {
    // Where this one ends sooner it ends the part: which of the two was over is then never in doubt.
    return new Deadline(Math.min(limitMs, this.remainingMs + PARENT_FIRST_MS), this);
  }

  /** @throws {AppError} `unavailable` once the time is up: work that has not started must not start. */
  throwIfOver(): void {
    const { reason } = this;
    if (reason) throw reason;
  }

  /** Calls back when the time is up; returns the call that takes the listener back. */
  onEnd(listener: Listener): () => void {
    this.#watch();
    if (this.#reason) {
      listener(this.#reason);
      return () => undefined;
    }
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Settles as `work` does, or rejects with `unavailable` the moment the time is up. The work itself
   * is not stopped: its owner listens on its own.
   */
  race<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const stop = this.onEnd(reject);
      work.then(
        (value) => {
          stop();
          resolve(value);
        },
        (error: unknown) => {
          stop();
          reject(error instanceof Error ? error : new Error('rejected with a non-error'));
        },
      );
    });
  }

  /** Ends the time now: it ran out, or the client went away. */
  end(): void {
    if (this.#reason) return;
    const reason = new AppError('unavailable');
    this.#reason = reason;
    this.#stopWatching();
    for (const listener of this.#listeners) listener(reason);
    this.#listeners.clear();
    this.#controller?.abort(reason);
  }

  /** The work is over: nothing is left to stop. */
  finish(): void {
    this.#stopWatching();
    this.#listeners.clear();
  }

  #watch(): void {
    if (this.#isWatched) return;
    this.#isWatched = true;
    const remainingMs = Math.ceil(this.#expiresAt - performance.now());
    this.#limit = new TimeLimit(remainingMs, () => this.end());
    this.#leaveParent = this.#parent?.onEnd(() => this.end());
  }

  /** For good: it has ended, or nothing is left to end. */
  #stopWatching(): void {
    this.#isWatched = true;
    this.#limit?.cancel();
    this.#leaveParent?.();
  }
}
