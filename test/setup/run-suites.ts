/* eslint-disable jest/no-export, jest/valid-title, @typescript-eslint/no-require-imports -- for the files of a subject to use */
import path from 'node:path';

/**
 * Runs suites of a folder in one test file, each in a `describe` with its name, so that its hooks
 * are its own. To load the modules of the service and to start it for the first time cost two
 * seconds of processor time in each test file; the next start in the same file costs a fifth of a
 * second.
 *
 * @param names the names of the files, without `.suite.ts`.
 */
export function runSuites(folder: string, names: readonly string[]): void {
  for (const name of names) {
    describe(name, () => {
      require(path.join(folder, `${name}.suite`));
    });
  }
}
