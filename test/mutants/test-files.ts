import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

export interface TestFile {
  /** The path of a test file (`*.spec.ts`) or of a suite (`*.suite.ts`) in the project. */
  readonly file: string;
  /** The name of a suite. */
  readonly suite?: string;
  /** The path of the test file that runs it: itself, or the one that names the suite. */
  readonly runBy: string;
}

/**
 * Returns all test files and suites of the service, which are in the folders `src` and `test`.
 *
 * @throws {Error} when not exactly one test file of a suite's folder names the suite.
 */
export function testFiles(project = process.cwd()): readonly TestFile[] {
  const names = ['src', 'test'].flatMap((folder) =>
    readdirSync(path.join(project, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      path.posix.join(folder, name.replaceAll(path.sep, '/')),
    ),
  );
  const specs = names.filter((name) => name.endsWith('.spec.ts'));
  const texts = new Map(
    specs.map((spec) => [spec, readFileSync(path.join(project, spec), 'utf8')]),
  );
  const runs = (spec: string, suite: string): boolean => {
    const text = texts.get(spec)!;
    return text.includes('runSuites(') && text.includes(`'${suite}'`);
  };
  const suites = names.filter((name) => name.endsWith('.suite.ts'));
  return [
    ...specs.map((file) => ({ file, runBy: file })),
    ...suites.map((file) => {
      const suite = path.basename(file, '.suite.ts');
      const found = specs.filter(
        (spec) => path.dirname(spec) === path.dirname(file) && runs(spec, suite),
      );
      const [runBy] = found;
      if (runBy === undefined || found.length > 1) {
        throw new Error(`${file}: not one test file runs this suite, but ${found.length}`);
      }
      return { file, suite, runBy };
    }),
  ];
}
