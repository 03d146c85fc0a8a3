import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './build-folders.js';

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

/**
 * Returns the files that determine what a build writes: the sources without their tests, and what
 * configures and performs the build.
 */
export function sourceFiles(root = ROOT) {
  const directories = packagesOf(root).map((folder) => path.join(root, folder));
  const configurations = directories.flatMap((directory) =>
    readdirSync(directory)
      .filter((name) => /^((tsconfig.*|package)\.json|(build|bundle)\.js)$/.test(name))
      .map((name) => path.join(directory, name)),
  );
  const sources = directories.flatMap((directory) =>
    ['src', 'web'].flatMap((name) => filesIn(path.join(directory, name))),
  );
  return [
    path.join(root, 'package-lock.json'),
    ...configurations,
    ...filesIn(path.join(root, 'scripts')).filter((file) =>
      /^(build|emit)/.test(path.basename(file)),
    ),
    ...sources.filter((file) => !file.endsWith('.spec.ts')),
  ];
}

/** Hashes files by their names and contents, because a copy of a checkout changes their times. */
function hashOf(files, root) {
  const hash = createHash('sha256');
  for (const file of files) {
    const content = readFileSync(file);
    hash.update(`${path.relative(root, file)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Returns a hash of the sources. */
export function sourceHash(root = ROOT) {
  return hashOf(sourceFiles(root), root);
}

/** Returns a hash of the build's output, so that a later build from other sources is detected. */
function outputHash(root) {
  const output = packagesOf(root).flatMap((folder) => filesIn(path.join(root, folder, 'dist')));
  return hashOf(
    output.filter((file) => file !== recordOf(root)),
    root,
  );
}

/** Whether everything is built from the current sources. */
export function isBuilt(root = ROOT) {
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
export function keepBuildRecord(source, root = ROOT) {
  writeFileSync(recordOf(root), `${JSON.stringify({ source, output: outputHash(root) })}\n`);
}
