import { plantedFaults } from './planted-faults.js';
import { ProjectCopy, SUITES_LIMIT_MS } from './project-copy.js';

const FAULTS = plantedFaults('leaks');
/** No leak by itself: it removes the two layers below the serializer. */
const wideOpen = FAULTS.find(({ patches }) => patches.at(-1)?.endsWith('wide-open.patch'));
const LEAKS = FAULTS.filter((fault) => fault !== wideOpen);
const PAIRS = { REDACTION_PAIRS: '60', PROPERTY_SEED: '7' };

/** Plants leaks in a copy of the project, one at a time: a leak that no redaction suite notices is one too many. */
describe('the redaction suites', () => {
  let copy: ProjectCopy;

  beforeAll(() => {
    copy = ProjectCopy.create();
  });
  afterAll(() => copy.remove());

  it(
    'pass on the service as it is',
    async () => {
      const suites = new Set(LEAKS.map(({ noticedBy }) => noticedBy));
      const outcome = await copy.run([...suites].join('|'), PAIRS);
      expect(outcome.failed).toEqual([]);
      expect(outcome.run).toBeGreaterThan(50);
    },
    SUITES_LIMIT_MS,
  );

  it(
    'pass with the database wide open: the serializer withholds by itself',
    async () => {
      const outcome = await copy.withFault(wideOpen!, PAIRS);
      expect(outcome.failed).toEqual([]);
      expect(outcome.run).toBeGreaterThan(5);
    },
    SUITES_LIMIT_MS,
  );

  it.each(LEAKS)(
    'notice $plants',
    async (leak) => {
      const { failed } = await copy.withFault(leak, PAIRS);
      process.stdout.write(`${leak.plants}\n${failed.map((test) => `    ${test}\n`).join('')}`);
      expect(failed).toContainEqual(expect.stringContaining(leak.failingTest ?? ''));
    },
    SUITES_LIMIT_MS,
  );
});
