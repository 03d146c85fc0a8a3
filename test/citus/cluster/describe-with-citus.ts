/* eslint-disable jest/no-export, jest/valid-title, jest/valid-describe-callback -- for suites to use */
/** Why the suites do not run; they have it in the names of their tests. */
export const CITUS_MISSING = 'DEAL_SETS_CITUS_MISSING';

/** `describe` where the run has a Citus cluster. Elsewhere one test passes that has the reason in its name. */
export function describeWithCitus(name: string, tests: () => void): void {
  const missing = process.env[CITUS_MISSING];
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  describe(name, () => {
    it(`did NOT run: ${missing}`, () => {
      expect(process.env[CITUS_MISSING]).toBe(missing);
    });
  });
}
