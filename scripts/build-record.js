import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';

const REPOSITORY = path.dirname(import.meta.dirname);
const FILES = ['package.json', 'package-lock.json', 'nest-cli.json'];

/** Returns the folders of all packages: the service and the workspaces. */
function packagesOf(root) {
  return ['.', ...readdirSync(path.join(root, 'packages')).map((name) => `packages/${name}`)];
}

const recordOf = (root) => path.join(root, 'packages/demo/dist/build-record.json');

/** Returns every file below the folder, sorted; an empty list if there is no such folder. */
function filesIn(directory) {
  if (!existsSync(directory)) return [];
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort();
}

/** Hashes the sources by content, because a checkout changes the times of unchanged files. */
export function sourceHash(root = REPOSITORY) {
  const directories = packagesOf(root).map((folder) => path.join(root, folder));
  const configurations = directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => /^((tsconfig.*|package)\.json|(build|bundle)\.js)$/.test(name))
      .map((name) => path.join(directory, name)),
  );
  const sources = directories.flatMap((directory) =>
    ['src', 'web'].flatMap((name) => filesIn(path.join(directory, name))),
  );
  const hash = createHash('sha256');
  for (const file of [
    ...FILES.map((name) => path.join(root, name)),
    ...configurations,
    ...sources,
  ]) {
    hash.update(`${path.relative(root, file)}\0`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/**
 * Hashes the sizes and modification times of the build output, so that a later build from other
 * sources is detected.
 */
function outputHash(root) {
  const hash = createHash('sha256');
  for (const folder of packagesOf(root)) {
    for (const file of filesIn(path.join(root, folder, 'dist'))) {
      if (file === recordOf(root)) continue;
      const { size, mtimeMs } = statSync(file);
      hash.update(`${path.relative(root, file)}\0${size}\0${mtimeMs}\0`);
    }
  }
  return hash.digest('hex');
}

/** Whether everything is built from the current sources. */
export function isBuilt(root = REPOSITORY) {
  if (!existsSync(recordOf(root))) return false;
  try {
    const { source, output } = JSON.parse(readFileSync(recordOf(root), 'utf8'));
    return source === sourceHash(root) && output === outputHash(root);
  } catch {
    return false;
  }
}

/**
 * Records the sources that the current build was made from.
 *
 * @param source the hash of the sources before the build, because they may have changed meanwhile.
 */
export function keepBuildRecord(source, root = REPOSITORY) {
  writeFileSync(recordOf(root), `${JSON.stringify({ source, output: outputHash(root) })}\n`);
}
