/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback, jest/no-disabled-tests -- for suites to use */
import { spawnSync } from 'node:child_process';

/** The first of these programs that this machine has. */
export function findProgram(...programs: readonly string[]): string | undefined {
  return programs.find(
    (program) => program !== '' && spawnSync(program, ['--version']).status === 0,
  );
}

/**
 * `describe` where the machine has the program. Elsewhere the tests are skipped; the last lines of
 * a run name them.
 */
export function describeWith(
  program: string | undefined,
  wanted: string,
  name: string,
  tests: () => void,
): void {
  if (program !== undefined) describe(name, tests);
  else describe.skip(`${name} (skipped: no ${wanted} on this machine)`, tests);
}
