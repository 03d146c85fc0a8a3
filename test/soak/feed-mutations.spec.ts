import { plantedFaults } from './planted-faults.js';
import { ProjectCopy, SUITES_LIMIT_MS } from './project-copy.js';

const MUTANTS = plantedFaults('mutants');

/** Each fault is built into a copy of the project; the copy's own tests must turn red. */
describe('the tests of the feed notice when', () => {
  let copy: ProjectCopy;

  beforeAll(() => {
    copy = ProjectCopy.create();
  });
  afterAll(() => copy.remove());

  it(
    'nothing is wrong: then they pass',
    async () => {
      const suites = new Set(MUTANTS.map(({ noticedBy }) => noticedBy));
      const outcome = await copy.run([...suites].join('|'));
      expect(outcome.failed).toEqual([]);
      expect(outcome.run).toBeGreaterThan(50);
    },
    SUITES_LIMIT_MS,
  );

  it.each(MUTANTS)(
    '$plants',
    async (mutant) => {
      const { failed } = await copy.withFault(mutant);
      process.stdout.write(`${mutant.plants}: ${failed.length} red\n  ${failed.join('\n  ')}\n`);
      expect(failed).toContainEqual(expect.stringContaining(mutant.failingTest ?? ''));
    },
    SUITES_LIMIT_MS,
  );
});
