import { readdirSync, readFileSync } from 'node:fs';
import { IS_SEEN } from '../../src/deal-sets/queries/result-facts.js';
import { CONTRACT_DEADLINE_MS } from '../../src/kernel/deadline.js';

const read = (file: string): string =>
  readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** SQL scripts cannot import the constants of the source code, so they repeat some of them. */
describe('constants that SQL scripts repeat from the source code', () => {
  const CODE = readdirSync(new URL('../../sql', import.meta.url))
    .filter((file) => file.endsWith('.sql'))
    .map((file) => read(`sql/${file}`))
    .join('\n');

  it('include the same condition for a dealership that the buyer has seen', () => {
    const conditions = [
      ...CODE.matchAll(/(\w+)\.unlocked_at IS NOT NULL[^,)\n]*chosen_at[^,)\n]*/g),
    ];
    expect(conditions.length).toBeGreaterThan(0);
    for (const [condition, row = ''] of conditions) {
      const expected = IS_SEEN.slice(1, -1).replaceAll('p.', `${row}.`);
      expect(condition.slice(0, expected.length)).toBe(expected);
    }
  });

  it.each(['sql/roles.sql', 'deploy/logins.sql'])(
    'include the deadline as the limit of a statement, in %s',
    (file) => {
      const limits = [...read(file).matchAll(/statement_timeout\W+(\d+)s'/g)];
      expect(limits.map(([, seconds]) => Number(seconds) * 1_000)).toEqual([CONTRACT_DEADLINE_MS]);
    },
  );
});
