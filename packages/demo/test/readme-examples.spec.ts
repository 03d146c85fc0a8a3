import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { describeWith, findProgram } from '../../../test/setup/describe-with.js';
import { DemoService } from './demo-service.js';

const README = readFileSync(path.resolve(__dirname, '../../../README.md'), 'utf8');
const COMMANDS = README.match(/^curl .+$/gm) ?? [];
/** A value of the response, and what the README says that each of the two callers receives. */
const ROW = /^\| `([\w.[\]]+)` +\| `(.+?)` +\| `(.+?)` +\|$/gm;
const VALUES = [...README.matchAll(ROW)].map(([, place, buyer, assistant]) => ({
  place: place!,
  documented: [JSON.parse(buyer!), JSON.parse(assistant!)] as unknown[],
}));

describeWith(findProgram('curl'), 'curl', 'the example of the README', () => {
  let demo: DemoService;
  let received: unknown[];
  beforeAll(async () => {
    demo = await DemoService.start();
    const guide = await (await fetch(`${demo.url}/curl`)).text();
    const variables = guide.split('\n').filter((line) => /^[A-Z_]+=/.test(line));
    const run = async (command: string): Promise<unknown> => {
      const script = [...variables, command.replace(/^curl /, 'curl -s ')].join('\n');
      const env = childEnvironment();
      const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
      return (JSON.parse(stdout) as { data: unknown }).data;
    };
    received = await Promise.all(COMMANDS.map(run));
  });
  afterAll(() => demo.stop());

  it('shows one equal value and five that differ', () => {
    const isEqual = VALUES.map(({ documented: [buyer, assistant] }) => buyer === assistant);
    expect(isEqual).toEqual([true, false, false, false, false, false]);
  });

  it.each(VALUES)('has the documented values of $place', ({ place, documented }) => {
    expect(received.map((data) => valueAt(data, place))).toEqual(documented);
  });
});

/** Returns the value at a place such as `ranked[1].rows[0].label`. */
function valueAt(data: unknown, place: string): unknown {
  const keys = place.split(/[.[\]]+/).filter((key) => key !== '');
  return keys.reduce((value, key) => (value as Record<string, unknown>)[key], data);
}
