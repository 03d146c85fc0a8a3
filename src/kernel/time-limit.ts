import { setMaxListeners } from 'node:events';

/** The time of a piece of work is up. */
export class TimeLimitError extends Error {
  override readonly name = 'TimeLimitError';
}

/**
 * Calls back after a time, once; keeps no process alive. What had arrived on a socket by then is read first: after a
 * busy event loop a timer fires before the sockets are looked at, and would give up work whose result is there.
 *
 * @returns the call that takes it back.
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

/** The longest stretch of lateness that counts against work whose limit is measured by `afterRunningTime`. */
const SLICE_MS = 50;

/**
 * As `afterTime`, but counts only time in which this process ran: the limit is waited for in short slices, and a slice
 * that ends late, because the event loop was busy or the machine had no processor for this process, counts as its
 * planned length. For limits of what another system does: it is not to blame for time in which nobody read its response.
 *
 * @returns the call that takes it back.
 */
export function afterRunningTime(limitMs: number, onReached: () => void): () => void {
  let cancel: () => void;
  const wait = (leftMs: number): void => {
    const sliceMs = Math.min(leftMs, SLICE_MS);
    const isLast = sliceMs === leftMs;
    cancel = afterTime(sliceMs, isLast ? onReached : () => wait(leftMs - sliceMs));
  };
  wait(limitMs);
  return () => cancel();
}

/**
 * Settles as `work` does, or rejects with the signal's reason the moment it is aborted. The work itself is not
 * stopped: it has the signal for that, or `stop`, which is called then.
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
    // Before it settles: what comes later has not stopped it.
    const stopListening = (): void => signal.removeEventListener('abort', onAbort);
    Promise.resolve(work).finally(stopListening).then(resolve, reject);
  });
}

/** Any number of reads may listen to its signal: Node warns of more than ten. */
export function newController(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

/**
 * Gives work a time limit of its own within that of `parent`: its signal is aborted at the first of the two ends.
 *
 * @param after the clock of the limit: `afterTime`, or `afterRunningTime`.
 * @throws {TimeLimitError} when the time is up; the parent's reason when that is aborted first.
 */
export async function withTimeLimit<T>(
  limitMs: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => PromiseLike<T> | T,
  after = afterTime,
): Promise<T> {
  parent?.throwIfAborted();
  const controller = newController();
  const cancel = after(limitMs, () => controller.abort(new TimeLimitError()));
  const onParent = (): void => controller.abort(parent?.reason);
  parent?.addEventListener('abort', onParent, { once: true });
  try {
    return await untilAborted(controller.signal, Promise.resolve(work(controller.signal)));
  } finally {
    cancel();
    parent?.removeEventListener('abort', onParent);
  }
}
