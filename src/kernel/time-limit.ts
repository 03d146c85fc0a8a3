import { setMaxListeners } from 'node:events';

/** Thrown when the time limit of a piece of work is reached. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Calls back once after a time in milliseconds, without keeping the process alive. Data that has
 * arrived on sockets by then is read first. Otherwise, after the event loop was busy, the timer
 * would fire before the sockets are read and abandon work whose result has arrived.
 *
 * @returns a function that cancels the call.
 */
export function afterTime(limitMs: number, onReached: () => void): () => void {
  let afterReading: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    afterReading = setImmediate(onReached);
  }, limitMs).unref();
  return () => {
    clearTimeout(timer);
    clearImmediate(afterReading);
  };
}

/**
 * Settles as `work` does, or rejects with the signal's reason as soon as the signal is aborted.
 *
 * @param stop called on an abort, to end work that does not listen to the signal itself.
 */
export function untilAborted<T>(
  signal: AbortSignal,
  work: PromiseLike<T>,
  stop?: () => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => {
      reject(signal.reason as Error);
      stop?.();
    };
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    // The listener is removed before the promise settles, so that a later abort does not call
    // `stop` for finished work.
    const stopListening = (): void => signal.removeEventListener('abort', onAbort);
    Promise.resolve(work).finally(stopListening).then(resolve, reject);
  });
}

/**
 * Creates an abort controller whose signal can have any number of listeners; Node warns of more
 * than ten by default.
 */
export function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/**
 * Runs work with its own time limit within that of `parent`. The signal of the work is aborted when
 * the limit is reached or when `parent` is aborted, whichever happens first.
 *
 * @param limitMs the limit in milliseconds.
 * @throws {TimeLimitError} when the limit is reached; the parent's reason when the parent is
 *   aborted first.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = newController();
  const cancel = afterTime(limitMs, () => controller.abort(new TimeLimitError()));
  const onParent = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', onParent, { once: true });
  try {
    return await untilAborted(controller.signal, Promise.resolve(work(controller.signal)));
  } finally {
    cancel();
    parent?.removeEventListener('abort', onParent);
  }
}
