import { readFileSync } from 'node:fs';
import { CONTRACT_DEADLINE_MS } from '../../src/kernel/deadline.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** SQL scripts cannot import the constants of the source code, so they repeat some of them. */
describe('constants that SQL scripts repeat from the source code', () => {
  it.each(['sql/roles.sql', 'deploy/logins.sql'])(
    'include the deadline as the limit of a statement, in %s',
    (file) => {
      const limits = [...read(file).matchAll(/statement_timeout\W+(\d+)s'/g)];
      expect(limits.map(([, seconds]) => Number(seconds) * 1_000)).toEqual([CONTRACT_DEADLINE_MS]);
    },
  );
});
