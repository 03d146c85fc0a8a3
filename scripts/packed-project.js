/** Packs the packages and runs programs in separate projects, for other scripts. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The root of the repository. */
export const ROOT = path.join(import.meta.dirname, '..');

/** Calls a function with a new folder, and removes the folder afterwards. */
export function inNewFolder(use) {
  const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-package-'));
  try {
    use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs a program and returns its output, or shows the output if `stdio` is `inherit`. */
export function run(command, args, cwd = ROOT, stdio = ['ignore', 'pipe', 'inherit']) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio, maxBuffer: 1 << 26 });
}

/** Runs a command of npm in the project in `cwd`. */
export function npm(args, cwd) {
  run('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], cwd);
}

/** Prints how long a step took. `startedAt` is in milliseconds of `Date.now()`. */
export function report(what, startedAt) {
  console.log(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * Packs packages of the repository. Default: the service and the test kit, which a host application
 * installs.
 *
 * @returns the report of npm about each tarball, with the `path` of the tarball in the folder.
 */
export function packInto(folder, packages = ['.', './packages/testing']) {
  const args = ['--json', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const output = run('npm', ['pack', ...packages, ...args]);
  const packs = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))));
  return packs.map((pack) => ({ ...pack, path: path.join(folder, pack.filename) }));
}
