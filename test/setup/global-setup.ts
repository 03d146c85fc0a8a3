import Module from 'node:module';

declare global {
  var stopTestCluster: (() => Promise<void>) | undefined;
}

interface Loader {
  _resolveFilename: (request: string, ...rest: unknown[]) => string;
}

/** Jest calls this once for each project that names it; the run has one cluster. */
export default async function globalSetup(): Promise<void> {
  if (globalThis.stopTestCluster) return;
  resolveSources();
  const { startTestCluster } = await import('./start-test-cluster.js');
  globalThis.stopTestCluster = await startTestCluster();
}

/** Jest's name mapping does not reach what a global setup loads, so `./x.js` must find `./x.ts` by itself. */
function resolveSources(): void {
  const loader = Module as unknown as Loader;
  const resolve = loader._resolveFilename;
  loader._resolveFilename = (request, ...rest) => {
    try {
      return resolve(request, ...rest);
    } catch (error) {
      if (!/^\.{1,2}\/.*\.js$/.test(request)) throw error;
      return resolve(request.replace(/\.js$/, '.ts'), ...rest);
    }
  };
}
