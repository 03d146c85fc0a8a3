/**
 * Checks the package as others receive it. Run it after `npm run build:packages`. It checks:
 *
 * - the content of the tarballs,
 * - a host application on the oldest supported major version of NestJS, as an ES module and as
 *   CommonJS: on Express without Fastify, compiled in a project with exactly the packages that
 *   `docs/extending.md` installs, and then with the real database on Express and on Fastify,
 * - tests with each runner of the test kit's README: vitest in a project of pnpm on the newest
 *   NestJS, and Jest in the projects of npm above.
 */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { inNewFolder, npm, packInto, report, ROOT, run } from './packed-project.js';

/** The oldest supported major version of NestJS, whose newest release is installed. */
const OLDEST_NEST = 11;
/** The documents whose commands and configuration are tested. */
const GUIDE = 'docs/extending.md';
const TEST_KIT = 'packages/testing/README.md';
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
  install(project, ...packagesOfGuide(service), '@types/node@20');
  for (const name of ['fastify', '@nestjs/platform-fastify']) {
    if (existsSync(path.join(project, 'node_modules', name))) {
      throw new Error(`${name} is installed in an application on Express`);
    }
  }
  testInBothFormats(project, 'express-host');
}

/** Installs the test kit and Fastify in the project on Express, and runs tests with Jest. */
function testWithJest([, testing], folder) {
  const project = path.join(folder, 'express');
  const packages = [...packagesOfBlock('jest@30'), '@nestjs/platform-fastify@12'];
  install(project, testing, ...packages.map(onOldestNest));
  testInBothFormats(project, 'both-adapters');
  const tests = path.join(project, 'jest');
  cpSync(path.join(ROOT, 'test/package/runners'), path.join(tests, 'test'), { recursive: true });
  writeFileSync(path.join(tests, 'jest.config.cjs'), blockOf(TEST_KIT, '// jest.config.cjs'));
  // One folder for both, because Jest compiles the dependencies again in each new one.
  for (const type of ['module', 'commonjs']) {
    const startedAt = Date.now();
    writeFileSync(path.join(tests, 'package.json'), JSON.stringify({ type }));
    run(process.execPath, [path.join(project, 'node_modules/jest/bin/jest.js')], tests, 'inherit');
    report(`tests pass with Jest (${type})`, startedAt);
  }
}

/** Compiles and runs a file of `test/package` in a project, as an ES module and as CommonJS. */
function testInBothFormats(project, name) {
  const { compilerOptions } = JSON.parse(blockOf(GUIDE, '"compilerOptions"'));
  const folders = ['module', 'commonjs'].map((type) => {
    const folder = path.join(project, name, type);
    mkdirSync(folder, { recursive: true });
    cpSync(path.join(ROOT, 'test/package', `${name}.ts`), path.join(folder, `${name}.ts`));
    writeFileSync(path.join(folder, 'package.json'), JSON.stringify({ type }));
    return folder;
  });
  // Checks the declarations of the packages, too, and writes each file beside its source.
  compile(project, { ...compilerOptions, skipLibCheck: false, outDir: undefined }, folders);
  for (const folder of folders) {
    const startedAt = Date.now();
    const test = ['--test', '--test-reporter=spec', `${name}.js`];
    run(process.execPath, test, folder, 'inherit');
    report(`${name} passes (${path.basename(folder)})`, startedAt);
  }
}

function install(project, ...packages) {
  const startedAt = Date.now();
  npm(['install', ...packages], project);
  report(`npm install ${packages.map((name) => path.basename(name)).join(' ')}`, startedAt);
}

/** Runs tests with vitest in a project on Fastify that pnpm installs. */
function testWithVitest([service, testing], folder) {
  const project = path.join(folder, 'vitest');
  cpSync(path.join(ROOT, 'test/package/runners'), path.join(project, 'test'), { recursive: true });
  writeFileSync(path.join(project, 'package.json'), JSON.stringify({ type: 'module' }));
  writeFileSync(path.join(project, 'tsconfig.json'), blockOf(GUIDE, '"compilerOptions"'));
  const installing = Date.now();
  const [, , ...packages] = wordsOf(blockOf(GUIDE, 'npm install ./deal-sets-service'));
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
  report('the host application compiles', startedAt);
}

/**
 * Returns the packages that the guide installs on Express and on the oldest supported version of
 * NestJS, with the given tarball.
 */
function packagesOfGuide(tarball) {
  const [, , ...packages] = wordsOf(blockOf(GUIDE, 'npm install ./deal-sets-service'));
  return packages.map((name) =>
    name.endsWith('.tgz')
      ? tarball
      : onOldestNest(name.replace('platform-fastify', 'platform-express')),
  );
}

/** Returns a package of NestJS, as the guide installs it, in the oldest supported version. */
function onOldestNest(name) {
  return name.replace(/^(@nestjs\/[a-z-]+)@12$/, `$1@${OLDEST_NEST}`);
}

/** Returns the packages that the first command of a block of the test kit's README installs. */
function packagesOfBlock(text) {
  const [install] = blockOf(TEST_KIT, text).split('\n', 1);
  return wordsOf(install).filter((word) => !['npm', 'install', '--save-dev'].includes(word));
}

/** Returns the words of a command, which may be on several lines. */
function wordsOf(command) {
  return command.match(/[^\s\\]+/g);
}

/** Returns the first block of code in a document that contains a text. */
function blockOf(document, text) {
  const markdown = readFileSync(path.join(ROOT, document), 'utf8');
  const blocks = [...markdown.matchAll(/^```\w*\n(.*?)^```$/gms)].map(([, code]) => code);
  return blocks.find((code) => code.includes(text));
}
