/** A longer timer would fire at once. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** The promise's outcome, or a rejection with the signal's reason as soon as the signal aborts. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason as Error);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort);
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Resolves after the given time; rejects with the signal's reason as soon as the signal aborts. */
export async function wait(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.min(milliseconds, LONGEST_TIMER_MS));
  });
  try {
    await abortable(elapsed, signal);
  } finally {
    clearTimeout(timer);
  }
}
