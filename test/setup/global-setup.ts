import Module from 'node:module';

declare global {
  var endTestRun: (() => Promise<void>) | undefined;
}

interface Loader {
  _resolveFilename: (request: string, ...rest: unknown[]) => string;
}

/**
 * Jest calls this once for each project that names it. The run has one temporary folder and one
 * cluster, with a migrated template database.
 */
export default async function globalSetup(): Promise<void> {
  if (globalThis.endTestRun) return;
  resolveSources();
  const { RunDirectory } = await import('./run-directory.js');
  const { OwnCluster } = await import('./own-cluster.js');
  const { ADMIN_URL, TEMPLATE_DATABASE } = await import('./test-cluster.js');
  const directory = new RunDirectory();
  globalThis.endTestRun = () => {
    directory.remove();
    return Promise.resolve();
  };
  const cluster = await OwnCluster.start({
    database: TEMPLATE_DATABASE,
    settings: { max_connections: '400' },
  });
  globalThis.endTestRun = async () => {
    await cluster.remove();
    directory.remove();
  };
  process.env[ADMIN_URL] = cluster.url.replace(TEMPLATE_DATABASE, 'postgres');
}

/**
 * Jest's module name mapping does not apply to what a global setup loads, so `./x.js` must resolve
 * to `./x.ts` here.
 */
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
