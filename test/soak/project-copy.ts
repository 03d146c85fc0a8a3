import { spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { temporaryDirectory } from '../setup/test-cluster.js';
import { applyPatches, PROJECT, type PlantedFault } from './planted-faults.js';

const COPIED = [
  'src',
  'test',
  'migrations',
  'docs',
  'package.json',
  'jest.config.js',
  'tsconfig.json',
];
/** For the suites of one fault. */
export const SUITES_LIMIT_MS = 900_000;

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

export interface Outcome {
  /** How many tests were run. */
  readonly run: number;
  /** Full names of those that failed. */
  readonly failed: readonly string[];
}

/** A copy of the project, in which faults are planted and its own tests are run. */
export class ProjectCopy {
  private constructor(private readonly directory: string) {}

  static create(): ProjectCopy {
    const directory = path.join(temporaryDirectory('planted'), 'copy');
    mkdirSync(directory);
    for (const name of COPIED) {
      cpSync(path.join(PROJECT, name), path.join(directory, name), { recursive: true });
    }
    symlinkSync(path.join(PROJECT, 'node_modules'), path.join(directory, 'node_modules'));
    return new ProjectCopy(directory);
  }

  remove(): void {
    rmSync(path.dirname(this.directory), { recursive: true, force: true });
  }

  /** Runs suites with a fault planted, and removes the fault again. */
  async withFault(
    { patches, noticedBy }: PlantedFault,
    env: Readonly<Record<string, string>> = {},
  ): Promise<Outcome> {
    applyPatches(this.directory, patches);
    try {
      return await this.run(noticedBy, env);
    } finally {
      for (const patch of patches.toReversed()) {
        applyPatches(this.directory, [patch], '--reverse');
      }
    }
  }

  /**
   * Runs suites of the copy.
   *
   * @param suites a pattern of their paths.
   */
  async run(suites: string, env: Readonly<Record<string, string>> = {}): Promise<Outcome> {
    const output = path.join(this.directory, 'report.json');
    rmSync(output, { force: true });
    const child = spawn(
      process.execPath,
      [
        path.join(PROJECT, 'node_modules/jest/bin/jest.js'),
        '--selectProjects=e2e',
        '--forceExit',
        `--testPathPatterns=${suites}`,
        '--json',
        `--outputFile=${output}`,
      ],
      {
        cwd: this.directory,
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
        timeout: SUITES_LIMIT_MS,
      },
    );
    await new Promise((resolve) => child.on('close', resolve));
    const report = JSON.parse(readFileSync(output, 'utf8')) as Report;
    const tests = report.testResults.flatMap((suite) => suite.assertionResults);
    return {
      run: tests.length,
      failed: tests.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
    };
  }
}
