import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** The project's root. */
export const PROJECT = path.resolve(import.meta.dirname, '../..');

/**
 * A deliberate fault, as a patch with a header:
 *
 *     Plants: <the fault, in a sentence>
 *     On top of: <another patch of the folder>          (optional)
 *     Noticed by: <suites, as a pattern of their paths>
 *     Failing test: <a part of a test's title>          (optional; otherwise any test of the suites)
 *
 * After a change of the lines that a patch touches: make the fault in a clean working tree, replace the patch's
 * body by the output of `git diff -U1`, undo the fault.
 */
export interface PlantedFault {
  readonly plants: string;
  /** Files of the patches to apply, in order. */
  readonly patches: readonly string[];
  readonly noticedBy: string;
  readonly failingTest: string | undefined;
}

/** The planted faults of a folder beside this file, by file name. */
export function plantedFaults(folder: 'leaks' | 'mutants'): PlantedFault[] {
  const directory = path.join(import.meta.dirname, folder);
  return readdirSync(directory)
    .filter((name) => name.endsWith('.patch'))
    .sort()
    .map((name) => {
      const file = path.join(directory, name);
      const [head = ''] = readFileSync(file, 'utf8').split('\n\n', 1);
      const header = (key: string): string | undefined =>
        head
          .split('\n')
          .find((line) => line.startsWith(`${key}: `))
          ?.slice(key.length + 2);
      const plants = header('Plants');
      const noticedBy = header('Noticed by');
      if (plants === undefined || noticedBy === undefined) {
        throw new Error(`${folder}/${name}: the header needs "Plants:" and "Noticed by:"`);
      }
      const base = header('On top of');
      return {
        plants,
        patches: [...(base === undefined ? [] : [path.join(directory, base)]), file],
        noticedBy,
        failingTest: header('Failing test'),
      };
    });
}

/**
 * Runs `git apply` on files of a folder, which need not be a repository.
 *
 * @throws when a patch does not apply; nothing is changed then.
 */
export function applyPatches(
  directory: string,
  patches: readonly string[],
  ...options: ('--check' | '--reverse')[]
): void {
  execFileSync('git', ['apply', ...options, ...patches], {
    cwd: directory,
    stdio: ['ignore', 'ignore', 'pipe'],
    // A repository around the folder is none of its business.
    env: { ...process.env, GIT_CEILING_DIRECTORIES: path.dirname(directory) },
  });
}
