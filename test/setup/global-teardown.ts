/**
 * Stops the run's PostgreSQL and removes its folder; Jest calls this also when tests have failed.
 */
export default async function globalTeardown(): Promise<void> {
  const end = globalThis.endTestRun;
  globalThis.endTestRun = undefined;
  await end?.();
}
