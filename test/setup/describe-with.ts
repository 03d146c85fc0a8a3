/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback, jest/no-disabled-tests -- for suites to use */
import { spawnSync } from 'node:child_process';

/** How programs are asked for their version: the last two by nginx and by OpenSSL. */
const VERSION_ARGUMENTS = ['--version', '-v', 'version'];

/** The first of these programs that this machine has. */
export function findProgram(...programs: readonly string[]): string | undefined {
  return programs.find(
    (program) =>
      program !== '' &&
      VERSION_ARGUMENTS.some((argument) => spawnSync(program, [argument]).status === 0),
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
