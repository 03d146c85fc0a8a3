/**
 * Settles as `work` does; once `limitMs` have passed, as `onTimeout` does instead: its value, or what it
 * throws. The work itself goes on.
 */
export function withTimeout<T>(
  work: PromiseLike<T>,
  limitMs: number,
  onTimeout: () => T,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => {
      try {
        resolve(onTimeout());
      } catch (error) {
        reject(error as Error);
      }
    }, limitMs);
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error as Error);
      },
    );
  });
}
