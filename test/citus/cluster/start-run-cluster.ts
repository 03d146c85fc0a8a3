import { citusBinaries } from './citus-binaries.js';
import { startCitusCluster } from './citus-cluster.js';
import { CITUS_MISSING } from './describe-with-citus.js';

/**
 * Starts the run's cluster, or says why the suites do not run.
 *
 * @returns the call that stops it.
 */
export async function startRunCluster(): Promise<() => Promise<void>> {
  const binaries = citusBinaries();
  if (!('missing' in binaries)) return startCitusCluster(binaries);
  process.env[CITUS_MISSING] = binaries.missing;
  console.warn(`NOT RUN for want of Citus: ${binaries.missing}`);
  return () => Promise.resolve();
}
