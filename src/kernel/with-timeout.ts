const LATE = Symbol('late');

/**
 * Settles as `work` does; once `limitMs` have passed, as `onTimeout` does instead: its value, or what it
 * throws. The work itself goes on.
 */
export async function withTimeout<T>(
  work: PromiseLike<T>,
  limitMs: number,
  onTimeout: () => T,
): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), limitMs);
  });
  try {
    const first = await Promise.race([work, late]);
    return first === LATE ? onTimeout() : first;
  } finally {
    clearTimeout(timer);
  }
}
