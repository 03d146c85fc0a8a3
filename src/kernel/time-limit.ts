/**
 * A time after which something is given up. What had arrived on a socket by then is read first: a timer that
 * is due after the event loop was busy fires before the sockets are looked at, and would give up work whose
 * result is already there.
 *
 * It keeps no process alive.
 */
export class TimeLimit {
  readonly #timer: NodeJS.Timeout;
  #afterReading: NodeJS.Immediate | undefined;

  /** @param onReached called at most once, unless `cancel()` comes first. */
  constructor(limitMs: number, onReached: () => void) {
    this.#timer = setTimeout(() => {
      this.#afterReading = setImmediate(onReached);
    }, limitMs).unref();
  }

  cancel(): void {
    clearTimeout(this.#timer);
    clearImmediate(this.#afterReading);
  }
}
