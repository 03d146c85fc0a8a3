import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { childEnvironment } from '../../../test/setup/child-environment.js';
import { describeWith, findProgram } from '../../../test/setup/describe-with.js';
import { DemoService } from './demo-service.js';

const LABELLED_STATUSES = [
  ['== 1. The buyer: list', '200'],
  ['== 1. The buyer: one deal set', '200'],
  ['== 2. The assistant: list', '200'],
  ['== 2. The assistant: one deal set', '200'],
  ['== 3. The hosted assistant: one deal set', '200'],
  ['== 4. The assistant: a poll', '200'],
  ['== 5. Signed out: 401', '401'],
  ['== 5. A revoked approval: 401', '401'],
  ['== 5. An assistant that may not read offers: 403', '403'],
  ['== 5. The deal set of another buyer: 404', '404'],
];

let demo: DemoService;
let guide: string;
beforeAll(async () => {
  demo = await DemoService.start();
  guide = await (await fetch(`${demo.url}/curl`)).text();
});
afterAll(() => demo.stop());

/** Feeds lines to a shell one by one, as a paste does. */
async function paste(lines: string, shell: string, ...options: string[]) {
  // The shell runs in a separate session, because an interactive shell would otherwise be stopped
  // by the terminal of the test run.
  const child = spawn(shell, options, { env: childEnvironment(), detached: true });
  child.stdin.end(lines);
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { stdout, stderr };
}

const SHELLS = [
  ['bash', []],
  // Uses -i, because only an interactive zsh treats comments as commands, and -f, which skips its
  // startup files.
  ['zsh', ['-f', '-i']],
] as const;

for (const [shell, options] of SHELLS) {
  describeWith(findProgram(shell), shell, `the commands of /curl, pasted into ${shell}`, () => {
    it('label each response, whose status is that of the label', async () => {
      const short = guide.replaceAll(
        /^show (-i )?/gm,
        "curl -s -o /dev/null -w '%{http_code}\\n' ",
      );
      const { stdout, stderr } = await paste(short, shell, ...options);
      const lines = stdout.match(/^(== .+|\d{3})$/gm);
      expect(lines).toEqual(LABELLED_STATUSES.flat());
      expect(stderr).not.toMatch(/not found|parse error|unknown|no matches/);
    });

    it('format each response', async () => {
      const { stdout } = await paste(guide, shell, ...options);
      expect(stdout).toMatch(/^== 1\. The buyer: list\n\{\n {2}"data": \[/m);
      expect(stdout).toMatch(/^== 5\. A revoked approval: 401\nHTTP\/1\.1 401 /m);
    });
  });
}

it('have comments without quotes or parentheses, which some shells would interpret', () => {
  const comments = guide.split('\n').filter((line) => line.startsWith('#'));
  expect(comments.filter((line) => /['"`()]/.test(line))).toEqual([]);
});
