/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback, jest/no-disabled-tests -- for suites to use */
import { spawnSync } from 'node:child_process';

/** The options that print the version of a program; the last two are those of nginx and OpenSSL. */
const VERSION_ARGUMENTS = ['--version', '-v', 'version'];

/** Returns the first of these programs that is installed. */
export function findProgram(...programs: readonly string[]): string | undefined {
  return programs.find(
    (program) =>
      program !== '' &&
      VERSION_ARGUMENTS.some((argument) => spawnSync(program, [argument]).status === 0),
  );
}

/**
 * `describe` where the program is installed. Elsewhere the tests are skipped, and the last lines of
 * a run list them.
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
