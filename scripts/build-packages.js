/**
 * Builds packages as they are published: with the TypeScript compiler, and with declarations. Nest's
 * command line, with `nest-cli.json`, compiles the service.
 *
 *   node scripts/build-packages.js           builds all of them
 *   node scripts/build-packages.js testing   builds one, and the service if the one needs it
 */
import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { replaceFolders, ROOT } from './build-folders.js';
import { isBuilt, keepBuildRecord, sourceHash } from './build-record.js';
import { completeService } from './build.js';

const TSC = path.join(ROOT, 'node_modules/typescript/bin/tsc');
const NEST = path.join(ROOT, 'node_modules/@nestjs/cli/bin/nest.js');

/** Runs a compiler of node_modules; fails with its output. */
async function run(what, ...args) {
  await promisify(execFile)(process.execPath, args, { cwd: ROOT }).catch(({ stdout, stderr }) => {
    throw new Error(`${what} does not compile:\n${stdout}${stderr}`);
  });
}

/** Compiles the project of a package into a folder. */
const compile = (project, folder) =>
  run(project, TSC, '--project', path.join(ROOT, project), '--outDir', folder);

/** Writes the service, as it is published, to a folder. */
export async function compileService(folder) {
  // `nest build` has no option for the folder of its output, so it gets a configuration that has.
  const config = `${folder}.tsconfig.json`;
  const project = path.join(ROOT, 'tsconfig.build.json');
  writeFileSync(config, JSON.stringify({ extends: project, compilerOptions: { outDir: folder } }));
  try {
    await run('the service', NEST, 'build', '--path', path.relative(ROOT, config));
  } finally {
    rmSync(config);
  }
  await completeService(folder);
}

/** What writes each package to a folder, by the package's name. */
const PACKAGES = {
  service: compileService,
  async client(folder) {
    await compile('packages/client/tsconfig.build.json', folder);
  },
  async testing(folder) {
    // The test kit contains this private package, whose declarations its own compilation reads.
    const embedded = path.join(folder, 'embedded-postgres');
    await compile('packages/embedded-postgres/tsconfig.build.json', embedded);
    await compile('packages/testing/tsconfig.build.json', folder);
  },
};

/** Builds the packages with the given names, or all of them. */
async function buildPackages(chosen) {
  const wasCurrent = isBuilt();
  const source = sourceHash();
  const names = new Set(chosen.length > 0 ? chosen : Object.keys(PACKAGES));
  for (const name of names)
    if (!Object.hasOwn(PACKAGES, name)) throw new Error(`there is no package ${name}`);
  // The test kit compiles against the declarations of the service, as a host application does.
  const hasDeclarations = wasCurrent && existsSync(path.join(ROOT, 'dist/index.d.ts'));
  if (names.has('testing') && !hasDeclarations) names.add('service');
  // In the order of `PACKAGES`, in which the service precedes what needs it.
  for (const [name, write] of Object.entries(PACKAGES)) {
    if (!names.has(name)) continue;
    const folder = name === 'service' ? 'dist' : `packages/${name}/dist`;
    await replaceFolders([folder], (placeOf) => write(placeOf(folder)));
  }
  // The sources are the same, so what was current still is.
  if (wasCurrent) keepBuildRecord(source);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href)
  await buildPackages(process.argv.slice(2));
