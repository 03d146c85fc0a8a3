/** Stops the run's PostgreSQL; Jest calls this also when tests have failed. */
export default async function globalTeardown(): Promise<void> {
  const stop = globalThis.stopTestCluster;
  globalThis.stopTestCluster = undefined;
  await stop?.();
}
