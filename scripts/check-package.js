/**
 * Checks the package as others receive it. Run it after `npm run build:packages`. It checks:
 *
 * - the content of the tarballs,
 * - a host application on Express without Fastify, as an ES module and as CommonJS, compiled in a
 *   project with exactly the packages that `docs/extending.md` installs,
 * - tests with each runner of the guide: vitest in a project of pnpm, and Jest in projects of npm,
 *   as ES modules and as CommonJS.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNewFolder, npm, packInto, report, ROOT, run } from './packed-project.js';

const NEEDED = [
  'CHANGELOG.md',
  'dist/cli.js',
  'dist/entities.d.ts',
  'dist/index.d.ts',
  'dist/mcp.d.ts',
  'dist/operations.d.ts',
  'dist/standalone.d.ts',
  'docs/compatibility.md',
  'docs/extending.md',
  'dist/mcp/deal-set.html',
  'examples/acme/README.md',
  'examples/acme/src/main.ts',
  'examples/host-express/README.md',
  'examples/host-express/src/main.ts',
];

inNewFolder((folder) => {
  const tarballs = packIntoAndCheck(folder);
  for (const tarball of tarballs) judge(tarball);
  testHostOnExpress(tarballs, folder);
  testWithJest(tarballs, folder);
  testWithVitest(tarballs, folder);
});

/** Packs the packages, checks which files the service's tarball contains, and returns the paths. */
function packIntoAndCheck(folder) {
  const startedAt = Date.now();
  const packs = packInto(folder);
  const [{ files }] = packs;
  const packed = new Set(files.map((file) => file.path));
  const missing = NEEDED.filter((file) => !packed.has(file));
  if (missing.length > 0) throw new Error(`the tarball lacks ${missing.join(', ')}`);
  if ([...packed].some((file) => /\.spec\.|^test\/|^src\//.test(file))) {
    throw new Error('the tarball contains sources or tests');
  }
  report(`packed ${packed.size} files`, startedAt);
  return packs.map((pack) => pack.path);
}

function judge(tarball) {
  const startedAt = Date.now();
  const modules = path.join(ROOT, 'node_modules');
  run(process.execPath, [path.join(modules, 'publint/src/cli.js'), 'run', tarball, '--strict']);
  run(process.execPath, [
    path.join(modules, '@arethetypeswrong/cli/dist/index.js'),
    ...[tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'],
    // `package.json` is an export without types.
    ...['--exclude-entrypoints', './package.json'],
  ]);
  report('publint and arethetypeswrong pass', startedAt);
}

/**
 * Follows the guide for a host application on Express. The order of the steps matters, because each
 * step installs packages that an earlier one must not need.
 */
function testHostOnExpress([service], folder) {
  const project = path.join(folder, 'express');
  mkdirSync(project);
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  const { compilerOptions } = JSON.parse(blockOfGuide('"compilerOptions"'));
  const install = (...args) => {
    const startedAt = Date.now();
    npm(['install', ...args], project);
    report(`npm install ${args.map((name) => path.basename(name)).join(' ')}`, startedAt);
  };
  install('--omit=optional', ...packagesOfGuide(service), '@types/node@20');
  for (const name of ['fastify', '@nestjs/platform-fastify']) {
    if (existsSync(path.join(project, 'node_modules', name))) {
      throw new Error(`${name} is installed in spite of --omit=optional`);
    }
  }
  const types = ['module', 'commonjs'];
  for (const type of types) {
    cpSync(path.join(ROOT, 'test/package'), path.join(project, type), { recursive: true });
    writeFileSync(path.join(project, type, 'package.json'), JSON.stringify({ type }));
  }
  // Checks the declarations of the packages, too, and writes each file beside its source.
  compile(project, { ...compilerOptions, skipLibCheck: false, outDir: undefined }, types);
  for (const type of types) {
    const startedAt = Date.now();
    const test = ['--test', '--test-reporter=spec', 'express-host.js'];
    run(process.execPath, test, path.join(project, type), 'inherit');
    report(`a host on Express without Fastify (${type}) boots and rejects`, startedAt);
  }
}

/** Runs tests with Jest in the project on Express, which must not need their packages before. */
function testWithJest([, testing], folder) {
  const project = path.join(folder, 'express');
  const installing = Date.now();
  npm(['install', testing, ...packagesOfBlock('jest@30')], project);
  report('npm installs Jest and the test kit', installing);
  const tests = path.join(project, 'jest');
  cpSync(path.join(ROOT, 'test/package-tests'), path.join(tests, 'test'), { recursive: true });
  writeFileSync(path.join(tests, 'jest.config.cjs'), blockOfGuide('// jest.config.cjs'));
  // One folder for both, because Jest compiles the dependencies again in each new one.
  for (const type of ['module', 'commonjs']) {
    const startedAt = Date.now();
    writeFileSync(path.join(tests, 'package.json'), JSON.stringify({ type }));
    run(process.execPath, [path.join(project, 'node_modules/jest/bin/jest.js')], tests, 'inherit');
    report(`tests pass with Jest (${type})`, startedAt);
  }
}

/** Runs tests with vitest in a project on Fastify that pnpm installs. */
function testWithVitest([service, testing], folder) {
  const project = path.join(folder, 'vitest');
  cpSync(path.join(ROOT, 'test/package-tests'), path.join(project, 'test'), { recursive: true });
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(project, 'tsconfig.json'), blockOfGuide('"compilerOptions"'));
  const installing = Date.now();
  const [, , ...packages] = wordsOf(blockOfGuide('npm install ./deal-sets-service'));
  const installed = packages.map((name) => (name.endsWith('.tgz') ? service : name));
  const all = [...installed, testing, ...packagesOfBlock('vitest@4')];
  run('npx', ['-y', 'pnpm@10', 'add', '--silent', '--prefer-offline', ...all], project);
  report('pnpm installs vitest and the test kit', installing);
  const startedAt = Date.now();
  const vitest = path.join(project, 'node_modules/vitest/vitest.mjs');
  // `--globals`, because the tests do not import `test`, so that Jest can run them, too.
  run(process.execPath, [vitest, 'run', '--globals'], project, 'inherit');
  report('tests pass with vitest', startedAt);
}

/** Compiles folders of a project in place, with the TypeScript of this repository. */
function compile(project, compilerOptions, include) {
  const startedAt = Date.now();
  writeFileSync(path.join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
  const tsc = path.join(ROOT, 'node_modules/typescript/bin/tsc');
  run(process.execPath, [tsc, '--project', project], project, 'inherit');
  report('the host application on Express compiles', startedAt);
}

/** Returns the packages that the guide installs on Express, with the given tarball. */
function packagesOfGuide(tarball) {
  const [, , ...packages] = wordsOf(blockOfGuide('npm install ./deal-sets-service'));
  return packages.map((name) =>
    name.endsWith('.tgz') ? tarball : name.replace('platform-fastify', 'platform-express'),
  );
}

/** Returns the packages that the first command of a block of the guide installs for tests. */
function packagesOfBlock(text) {
  const [install] = blockOfGuide(text).split('\n', 1);
  return wordsOf(install).filter((word) => !['npm', 'install', '--save-dev'].includes(word));
}

/** Returns the words of a command, which may be on several lines. */
function wordsOf(command) {
  return command.match(/[^\s\\]+/g);
}

/** Returns the first block of code in the guide that contains a text. */
function blockOfGuide(text) {
  const guide = readFileSync(path.join(ROOT, 'docs/extending.md'), 'utf8');
  const blocks = [...guide.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code]) => code);
  return blocks.find((code) => code.includes(text));
}
