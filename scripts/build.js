/**
 * Builds what runs from this checkout, unless the last build is current: the service, the packages
 * and the demo with its page. `npm start`, `npm run demo` and `npm test` build in this way.
 *
 * The build does not check types: `npm run typecheck` does. What is packed is built by
 * `build-packages.js`, and `check-build.js` compares the two compilers.
 */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { replaceFolders, ROOT } from './build-folders.js';
import { isBuilt, keepBuildRecord, sourceHash } from './build-record.js';

/** The modules of the view for MCP clients that the demo's page shares with it. */
const SHARED_WITH_PAGE = [
  'dom.ts',
  'format.ts',
  'offer-row.ts',
  'offers.ts',
  'partner-conditions.ts',
];

/**
 * Writes the service's build to a folder.
 *
 * @param folder the folder that becomes `dist`.
 */
export async function emitService(folder) {
  // Loaded only if something is built, because a production installation does not have swc.
  const { emit, NODE } = await import('./emit.js');
  await emit(path.join(ROOT, 'src'), folder, NODE);
  await completeService(folder);
}

/** Adds to the compiled modules of the service what else belongs to its build. */
export async function completeService(folder) {
  const { buildView } = await import('../packages/mcp-app/build.js');
  await mkdir(path.join(folder, 'mcp'), { recursive: true });
  await writeFile(path.join(folder, 'mcp/deal-set.html'), await buildView());
  await chmod(path.join(folder, 'cli.js'), 0o755);
}

async function emitPackages(placeOf) {
  const { emit, BROWSER, BROWSER_WITHOUT_COMMENTS, NODE } = await import('./emit.js');
  const inPackages = (name) => path.join(ROOT, 'packages', name);
  const testing = placeOf('packages/testing/dist');
  const demo = placeOf('packages/demo/dist');
  await Promise.all([
    emit(inPackages('client/src'), placeOf('packages/client/dist'), BROWSER),
    emit(inPackages('embedded-postgres/src'), placeOf('packages/embedded-postgres/dist'), NODE),
    emit(inPackages('testing/src'), testing, NODE),
    // The test kit contains this private package, because it is installed without it.
    emit(inPackages('embedded-postgres/src'), path.join(testing, 'embedded-postgres'), NODE),
    emit(inPackages('demo/src'), demo, NODE),
    emit(inPackages('demo/web'), path.join(demo, 'web'), BROWSER_WITHOUT_COMMENTS),
    emit(
      inPackages('mcp-app/web'),
      path.join(demo, 'web/mcp-app'),
      BROWSER_WITHOUT_COMMENTS,
      (name) => SHARED_WITH_PAGE.includes(name),
    ),
  ]);
}

const FOLDERS = [
  'dist',
  ...['client', 'demo', 'embedded-postgres', 'testing'].map((name) => `packages/${name}/dist`),
];

/** Builds everything unless the last build is current. */
export async function build() {
  if (isBuilt()) return;
  // Hashed first, because somebody may change a source meanwhile.
  const source = sourceHash();
  await replaceFolders(FOLDERS, async (placeOf) => {
    await Promise.all([emitService(placeOf('dist')), emitPackages(placeOf)]);
  });
  keepBuildRecord(source);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) await build();
