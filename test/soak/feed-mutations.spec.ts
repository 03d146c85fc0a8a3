import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../setup/test-cluster.js';
import { MUTANTS, type Mutant } from './feed-mutants.js';

const PACKAGE = path.resolve(import.meta.dirname, '../..');
const COPIED = ['jest.config.js', 'package.json', 'tsconfig.json', 'migrations', 'src', 'test'];
const LIMIT_MS = 240_000;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** Each fault is built into a copy of the project; the copy's own tests must turn red. */
describe('the tests of the feed notice when', () => {
  let copy: string;

  beforeAll(() => {
    copy = path.join(temporaryDirectory('mutants'), 'copy');
    mkdirSync(copy);
    for (const name of COPIED) {
      cpSync(path.join(PACKAGE, name), path.join(copy, name), { recursive: true });
    }
    symlinkSync(path.join(PACKAGE, 'node_modules'), path.join(copy, 'node_modules'));
  });
  afterAll(() => rmSync(path.dirname(copy), { recursive: true, force: true }));

  /** The names of the tests of some suites that fail, and how many were run. */
  async function failures(suites: readonly string[]): Promise<{ run: number; failed: string[] }> {
    const output = path.join(copy, 'report.json');
    rmSync(output, { force: true });
    const child = spawn(
      process.execPath,
      [
        path.join(PACKAGE, 'node_modules/jest/bin/jest.js'),
        '--selectProjects=e2e',
        '--forceExit',
        `--testPathPatterns=e2e/feed/(${suites.join('|')})\\.spec`,
        '--json',
        `--outputFile=${output}`,
      ],
      { cwd: copy, stdio: 'ignore', env: { PATH: process.env['PATH'], HOME: process.env['HOME'] } },
    );
    const timer = setTimeout(() => child.kill(), LIMIT_MS);
    await new Promise((resolve) => child.on('close', resolve));
    clearTimeout(timer);
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    const tests = report.testResults.flatMap((suite) => suite.assertionResults);
    return {
      run: tests.length,
      failed: tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    };
  }

  function build({ edits }: Mutant): () => void {
    const originals = new Map<string, string>();
    for (const { file, from, to } of edits) {
      const target = path.join(copy, file);
      const text = readFileSync(target, 'utf8');
      if (!originals.has(target)) originals.set(target, text);
      if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
      writeFileSync(
        target,
        text.replaceAll(from, () => to),
      );
    }
    return () => originals.forEach((text, target) => writeFileSync(target, text));
  }

  it(
    'nothing is wrong: then they pass',
    async () => {
      const outcome = await failures([...new Set(MUTANTS.map(({ suite }) => suite))]);
      expect(outcome.failed).toEqual([]);
      expect(outcome.run).toBeGreaterThan(50);
    },
    LIMIT_MS,
  );

  it.each(MUTANTS)(
    '$what',
    async (mutant) => {
      const restore = build(mutant);
      const { failed } = await failures([mutant.suite]).finally(restore);
      process.stdout.write(`${mutant.what}: ${failed.length} red\n  ${failed.join('\n  ')}\n`);
      expect(failed).toEqual(expect.arrayContaining([expect.stringContaining(mutant.caughtBy)]));
    },
    LIMIT_MS,
  );
});
