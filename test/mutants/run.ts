import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { NO_LONGER_APPLIES, PLANTED_FAULT } from '../setup/planted-fault.js';
import type { Fault } from './fault.js';
import { FAULTS } from './faults.js';

/** The time limit of the suites of one fault; the run without a fault takes longer. */
const LIMIT_MS = 300_000;

interface Report {
  readonly testResults: readonly {
    readonly message: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
  readonly numRuntimeErrorTestSuites: number;
}

interface Outcome {
  readonly failed: readonly string[];
  readonly passed: number;
  /** Why the tests produced no result; empty otherwise. */
  readonly problem: string;
}

const reports = mkdtempSync(path.join(tmpdir(), 'deal-sets-mutants-'));

/** The projects of `npm test`. */
const PROJECTS = ['unit', 'api', 'host-express'];

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Runs the suites, or the test, of a fault with its replacements planted. */
function runTests(
  { suites, test, replacements }: Omit<Fault, 'plants'>,
  limitMs = LIMIT_MS,
): Outcome {
  const output = path.join(reports, 'report.json');
  rmSync(output, { force: true });
  const args = [
    'node_modules/jest/bin/jest.js',
    ...PROJECTS.map((project) => `--selectProjects=${project}`),
    '--forceExit',
    `--testPathPatterns=${suites}`,
    ...(test === undefined ? [] : [`--testNamePattern=${escaped(test)}`]),
    '--json',
    `--outputFile=${output}`,
  ];
  const { stderr } = spawnSync(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, [PLANTED_FAULT]: JSON.stringify(replacements) },
    timeout: limitMs,
    maxBuffer: Infinity,
  });
  let report: Report;
  try {
    report = JSON.parse(readFileSync(output, 'utf8')) as Report;
  } catch {
    return { failed: [], passed: 0, problem: lineOf(stderr) || 'there is no report' };
  }
  const tests = report.testResults.flatMap((suite) => suite.assertionResults);
  const named = (status: string): string[] =>
    tests.filter((result) => result.status === status).map(({ fullName }) => fullName);
  const messages = report.testResults.map(({ message }) => message).join('\n');
  return {
    failed: named('failed'),
    passed: named('passed').length,
    problem: report.numRuntimeErrorTestSuites > 0 ? lineOf(messages) : '',
  };
}

/** Returns the line of a message that describes the failure. */
function lineOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const found =
    lines.find((line) => line.includes(NO_LONGER_APPLIES)) ??
    lines.find((line) => line.includes('Error'));
  return (found ?? lines[0] ?? '').trim();
}

/** @returns whether the fault was detected as expected, and the line of the report. */
function verdict(
  { plants, isHarmless }: Fault,
  { failed, passed, problem }: Outcome,
): readonly [isRight: boolean, line: string] {
  if (problem.includes(NO_LONGER_APPLIES))
    return [false, `NO LONGER APPLIES  ${plants}: ${problem}`];
  if (problem !== '') return [false, `DOES NOT RUN  ${plants}: ${problem}`];
  const [first] = failed;
  if (first === undefined && passed === 0) return [false, `NO SUCH TEST  ${plants}`];
  if (first === undefined)
    return isHarmless ? [true, `passes  ${plants}`] : [false, `SURVIVED  ${plants}`];
  return isHarmless
    ? [false, `FAILS   ${plants}  by ${first}`]
    : [true, `killed  ${plants}  by ${first}`];
}

function main(filter: string): boolean {
  const say = (line: string, startedAt: number): void => {
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    process.stdout.write(`${line}  (${seconds} s)\n`);
  };
  const faults = FAULTS.filter(({ plants }) => plants.includes(filter));
  if (faults.length === 0) {
    process.stdout.write(`no fault has this in its name: ${filter}\n`);
    return false;
  }

  const startedAt = performance.now();
  const suites = [...new Set(faults.map((fault) => fault.suites))].join('|');
  const sound = runTests({ suites, replacements: [] }, LIMIT_MS * 4);
  if (sound.problem !== '' || sound.failed.length > 0 || sound.passed === 0) {
    say(`RED WITHOUT A FAULT  ${[sound.problem, ...sound.failed].join('\n  ')}`, startedAt);
    return false;
  }
  say(`green without a fault: ${sound.passed} tests`, startedAt);

  const outcomes = faults.map((fault) => {
    const begunAt = performance.now();
    const [isRight, line] = verdict(fault, runTests(fault));
    say(line, begunAt);
    return isRight;
  });
  say(`${faults.length} faults`, startedAt);
  return outcomes.every(Boolean);
}

try {
  process.exitCode = main(process.argv.slice(2).join(' ')) ? 0 : 1;
} finally {
  rmSync(reports, { recursive: true, force: true });
}
