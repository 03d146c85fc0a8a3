/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback -- for suites to use */
import { spawnSync } from 'node:child_process';

/** The first of these programs that this machine has. */
export function findProgram(...programs: readonly string[]): string | undefined {
  return programs.find(
    (program) => program !== '' && spawnSync(program, ['--version']).status === 0,
  );
}

/**
 * `describe` where the machine has the program. Elsewhere a warning says that the tests did not run, and one that
 * passes has that in its name.
 */
export function describeWith(
  program: string | undefined,
  wanted: string,
  name: string,
  tests: () => void,
): void {
  if (program !== undefined) {
    describe(name, tests);
    return;
  }
  console.warn(`NOT RUN for want of ${wanted} on this machine: ${name}`);
  describe(name, () => {
    it(`did NOT run: there is no ${wanted} on this machine`, () => expect(program).toBeUndefined());
  });
}
