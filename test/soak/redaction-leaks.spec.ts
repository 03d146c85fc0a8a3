import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PLANTED_LEAKS, type Change } from './planted-leaks.js';

/**
 * Plants leaks in a copy of the service, one at a time, and asks the redaction suites: a leak that no
 * suite notices would be one that they cannot see.
 */
const ROOT = path.join(__dirname, '../..');
const COPIED = [
  'src',
  'test',
  'migrations',
  'docs',
  'package.json',
  'jest.config.js',
  'tsconfig.json',
];
const LIMIT_MS = 240_000;

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

let copy: string;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'deal-sets-leaks-'));
  for (const name of COPIED)
    cpSync(path.join(ROOT, name), path.join(copy, name), { recursive: true });
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

function plant(changes: readonly Change[]): () => void {
  const originals = new Map<string, string>();
  for (const [name, from, to] of changes) {
    const file = path.join(copy, name);
    const text = readFileSync(file, 'utf8');
    if (!originals.has(file)) originals.set(file, text);
    if (!text.includes(from)) throw new Error(`${name} no longer holds: ${from}`);
    writeFileSync(
      file,
      text.replace(from, () => to),
    );
  }
  return () => {
    for (const [file, text] of originals) writeFileSync(file, text);
  };
}

async function ask(suites: string): Promise<Report> {
  const outcome = path.join(copy, 'outcome.json');
  rmSync(outcome, { force: true });
  const child = spawn(
    process.execPath,
    [
      'node_modules/jest/bin/jest.js',
      '--selectProjects',
      'e2e',
      '--testPathPatterns',
      suites,
      '--json',
      '--outputFile',
      outcome,
      '--forceExit',
    ],
    {
      cwd: copy,
      env: { ...process.env, REDACTION_PAIRS: '60', REDACTION_SEED: '7' },
      stdio: 'ignore',
      timeout: LIMIT_MS,
    },
  );
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(readFileSync(outcome, 'utf8')) as Report;
}

const failed = (report: Report): string[] =>
  report.testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );

describe('the redaction suites', () => {
  it(
    'pass on the service as it is, also with its database wide open: the writer holds by itself',
    async () => {
      expect(
        failed(
          await ask(
            'test/(e2e/redaction/(noninterference|withholding|cleaning|roles)|extension|integration/reading-roles)',
          ),
        ),
      ).toEqual([]);
      const [, , field] = PLANTED_LEAKS;
      const restore = plant(field?.changes.slice(0, 2) ?? []);
      try {
        expect(failed(await ask('test/e2e/redaction/(noninterference|withholding)'))).toEqual([]);
      } finally {
        restore();
      }
    },
    2 * LIMIT_MS,
  );

  it.each(PLANTED_LEAKS.map((leak) => [leak.name, leak] as const))(
    'notice %s',
    async (name, { changes, suites }) => {
      const restore = plant(changes);
      try {
        const report = await ask(suites);
        const caught = failed(report);
        process.stderr.write(`${name}\n${caught.map((test) => `    ${test}\n`).join('')}`);
        expect(caught.length).toBeGreaterThan(0);
      } finally {
        restore();
      }
    },
    LIMIT_MS,
  );
});
