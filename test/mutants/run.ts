import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NO_LONGER_APPLIES, PLANTED_FAULT, type Replacement } from '../setup/planted-fault.js';
import { replacementsOf, type Fault } from './fault.js';
import { FAULTS } from './faults.js';

/** For the suites of one fault; the run without a fault takes longer. */
const LIMIT_MS = 300_000;
/** Generated worlds enough for every fault. */
const SAMPLE = { REDACTION_PAIRS: '60' };

interface Report {
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

interface Outcome {
  readonly failed: readonly string[];
  readonly passed: number;
  /** Why no test could say anything; else empty. */
  readonly problem: string;
}

interface Selection {
  /** A pattern of paths. */
  readonly suites: string;
  /** A part of a title. */
  readonly test?: string | undefined;
}

const reports = mkdtempSync(path.join(tmpdir(), 'deal-sets-mutants-'));

/** Runs tests with the replacements planted. */
async function runTests(
  { suites, test }: Selection,
  replacements: readonly Replacement[],
  limitMs: number,
): Promise<Outcome> {
  const output = path.join(reports, 'report.json');
  rmSync(output, { force: true });
  const child = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      '--selectProjects=unit',
      '--selectProjects=e2e',
      '--forceExit',
      `--testPathPatterns=${suites}`,
      ...(test === undefined
        ? []
        : [`--testNamePattern=${test.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)}`]),
      '--json',
      `--outputFile=${output}`,
    ],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, ...SAMPLE, [PLANTED_FAULT]: JSON.stringify(replacements) },
      timeout: limitMs,
    },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString()));
  await new Promise((resolve) => child.on('close', resolve));

  let report: Report;
  try {
    report = JSON.parse(readFileSync(output, 'utf8')) as Report;
  } catch {
    return { failed: [], passed: 0, problem: lineOf(errors) };
  }
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const named = (status: string): string[] =>
    tests.filter((one) => one.status === status).map(({ fullName }) => fullName);
  const broken =
    report.numRuntimeErrorTestSuites > 0
      ? report.testResults.map(({ message }) => message).join('\n')
      : '';
  return { failed: named('failed'), passed: named('passed').length, problem: lineOf(broken) };
}

/** The line of a message that says what happened. */
function lineOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return (
    lines.find((line) => line.includes(NO_LONGER_APPLIES)) ??
    lines.find((line) => line.includes('Error')) ??
    lines[0] ??
    (text === '' ? '' : 'there is no report')
  ).trim();
}

/** @returns whether the fault did what it must, and the line of the report. */
function verdict(fault: Fault, { failed, passed, problem }: Outcome): readonly [boolean, string] {
  const { plants, isHarmless } = fault;
  if (problem.includes(NO_LONGER_APPLIES))
    return [false, `NO LONGER APPLIES  ${plants}: ${problem}`];
  if (problem !== '') return [false, `DOES NOT RUN  ${plants}: ${problem}`];
  if (failed.length + passed === 0) return [false, `NO SUCH TEST  ${plants}`];
  const [first] = failed;
  if (isHarmless) {
    return first === undefined
      ? [true, `passes  ${plants}`]
      : [false, `FAILS   ${plants}  by ${first}`];
  }
  return first === undefined
    ? [false, `SURVIVED  ${plants}`]
    : [true, `killed  ${plants}  by ${first}`];
}

async function main(part: string): Promise<boolean> {
  const say = (line: string, startedAt: number): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`${line}  (${seconds} s)\n`);
  };
  const faults = FAULTS.filter(({ plants }) => plants.includes(part));
  if (faults.length === 0) {
    process.stdout.write(`no fault has this in its name: ${part}\n`);
    return false;
  }

  const startedAt = performance.now();
  const suites = new Set(faults.map(({ failing }) => failing.suites));
  const sound = await runTests({ suites: [...suites].join('|') }, [], LIMIT_MS * 4);
  if (sound.problem !== '' || sound.failed.length > 0 || sound.passed === 0) {
    const reason = [sound.problem, ...sound.failed].join('\n  ');
    say(`RED WITHOUT A FAULT  ${reason}`, startedAt);
    return false;
  }
  say(`green without a fault: ${sound.passed} tests`, startedAt);

  let isGood = true;
  for (const fault of faults) {
    const begunAt = performance.now();
    const [isRight, line] = verdict(
      fault,
      await runTests(fault.failing, replacementsOf(fault), LIMIT_MS),
    );
    isGood &&= isRight;
    say(line, begunAt);
  }
  say(`${faults.length} faults`, startedAt);
  return isGood;
}

try {
  process.exitCode = (await main(process.argv.slice(2).join(' '))) ? 0 : 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
