import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { describeWith, findProgram } from '../../../test/setup/describe-with.js';
import { DemoService } from './demo-service.js';

const README = readFileSync(path.resolve(__dirname, '../../../README.md'), 'utf8');
/** A `curl` command of the README, and the response that it documents. */
const EXAMPLE = /```sh\n(curl [^`]+)\n```\n+```(?:json)?\n([^`]+)```/g;
const EXAMPLES = [...README.matchAll(EXAMPLE)].map(([, command, response]) => ({
  command: command!,
  response: response!,
}));

describeWith(findProgram('curl'), 'curl', 'the examples of the README', () => {
  let demo: DemoService;
  let variables: string;
  beforeAll(async () => {
    demo = await DemoService.start();
    const lines = await (await fetch(`${demo.url}/curl`)).text();
    variables = lines
      .split('\n')
      .filter((line) => /^[A-Z_]+=/.test(line))
      .join('\n');
  });
  afterAll(() => demo.stop());

  const run = async (command: string): Promise<string> => {
    const script = `${variables}\n${command.replace(/^curl /, 'curl -s ')}`;
    const env = childEnvironment();
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    return stdout;
  };

  it('show a buyer, an assistant and a rejected assistant', () => {
    expect(EXAMPLES).toHaveLength(3);
  });

  it.each(EXAMPLES.slice(0, 2))(
    'return the documented response: $command',
    async ({ command, response }) => {
      const documented: unknown = JSON.parse(response);
      const received: unknown = JSON.parse(await run(command));
      expect(shortened(received, documented)).toEqual(documented);
    },
  );

  it('reject an assistant with the documented status, challenge and body', async () => {
    const { command, response } = EXAMPLES[2]!;
    const received = (await run(command)).split('\r\n');
    expect(received).toEqual(expect.arrayContaining(response.trim().split('\n')));
  });
});

/**
 * Returns the response without the fields that the example leaves out. Arrays keep only the
 * elements that match an element of the example.
 */
function shortened(received: unknown, example: unknown): unknown {
  if (Array.isArray(example) && Array.isArray(received)) {
    return example.map((element: unknown) => {
      const found = received.map((candidate: unknown) => shortened(candidate, element));
      return found.find((candidate) => isEqual(candidate, element)) ?? found;
    });
  }
  if (isRecord(example) && isRecord(received)) {
    const names = Object.keys(example);
    return Object.fromEntries(
      names.map((name) => [name, shortened(received[name], example[name])]),
    );
  }
  return received;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null;
const isEqual = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right);
