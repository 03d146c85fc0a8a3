import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import ts from 'typescript';
import { childEnvironment } from '../../../test/setup/child-environment.js';

const execute = promisify(execFile);
/** Runs a program with the machine's npm settings, such as the path of npm's cache. */
const run = (program: string, args: readonly string[], cwd?: string) =>
  execute(program, args, { cwd, env: childEnvironment(process.env) });
const PACKAGE = join(__dirname, '..');
const MODULES = join(PACKAGE, '../../node_modules');
const LIMIT_BYTES = 4 * 1024;

/** Removes the comments of a script, as bundlers do. */
const withoutComments = (script: string): string =>
  ts.transpileModule(script, {
    compilerOptions: { removeComments: true, target: ts.ScriptTarget.ES2022 },
  }).outputText;

let folder: string;
let dist: string;
let tarball: string;
let packed: string[];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'client-package-'));
  // Built as `prepack` does, but in another folder, because other suites use the build in `dist`.
  const copy = join(folder, 'client');
  dist = join(copy, 'dist');
  mkdirSync(copy);
  for (const name of ['package.json', 'README.md'])
    copyFileSync(join(PACKAGE, name), join(copy, name));
  const project = join(PACKAGE, 'tsconfig.build.json');
  const compiler = join(MODULES, 'typescript/bin/tsc');
  await run(process.execPath, [compiler, '--project', project, '--outDir', dist]);
  const { stdout } = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    copy,
  );
  const packs = Object.values(JSON.parse(stdout) as Record<string, unknown>);
  const [{ filename, files }] = packs as [{ filename: string; files: { path: string }[] }];
  tarball = join(folder, filename);
  packed = files.map(({ path }) => path);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('the package', () => {
  it('has at most 4 KB of code gzipped, without comments and not minified', () => {
    const scripts = readdirSync(dist).filter((name) => name.endsWith('.js'));
    const all = scripts.map((name) => readFileSync(join(dist, name), 'utf8')).join('\n');
    expect(scripts).toContain('deal-sets-client.js');
    expect(gzipSync(withoutComments(all), { level: 9 }).length).toBeLessThanOrEqual(LIMIT_BYTES);
  });

  it('has no dependencies and contains only the build, the README and the manifest', () => {
    const manifest = JSON.parse(readFileSync(join(PACKAGE, 'package.json'), 'utf8')) as object;
    for (const key of ['dependencies', 'peerDependencies', 'optionalDependencies', 'private'])
      expect(manifest).not.toHaveProperty(key);
    expect(packed).toEqual(
      expect.arrayContaining(['README.md', 'package.json', 'dist/index.d.ts']),
    );
    const others = packed.filter((path) => !/^dist\/[\w-]+\.(js|d\.ts)$/.test(path));
    expect(others.sort()).toEqual(['README.md', 'package.json']);
  });

  it('passes publint', async () => {
    const { stdout } = await run(process.execPath, [
      join(MODULES, 'publint/src/cli.js'),
      'run',
      tarball,
      '--strict',
    ]);
    expect(stdout).toContain('All good!');
  });

  it('passes arethetypeswrong', async () => {
    const { stdout } = await run(process.execPath, [
      join(MODULES, '@arethetypeswrong/cli/dist/index.js'),
      tarball,
      '--profile',
      'esm-only',
      '--no-emoji',
      '--no-color',
    ]);
    // If arethetypeswrong finds a problem, it exits with an error, and `run` rejects. The package
    // offers only ES modules.
    expect(stdout).toContain('OK (ESM)');
  });
});
