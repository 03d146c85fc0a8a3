/**
 * Checks the package as others receive it: what the tarball holds, the service after
 * `npm ci --omit=dev`, and the example team on the lowest and on the newest supported version of
 * NestJS. Run after a build of everything.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort, startServer } from './local-server.js';

const ROOT = path.join(import.meta.dirname, '..');
const NEEDED = [
  'CHANGELOG.md',
  'dist/cli.js',
  'dist/entities.d.ts',
  'dist/index.d.ts',
  'dist/operations.d.ts',
  'dist/standalone.d.ts',
  'docs/compatibility.md',
  'docs/extending.md',
  'examples/acme/README.md',
  'examples/acme/src/main.ts',
];
const NEST = ['common', 'core', 'platform-express', 'platform-fastify'].map(
  (name) => `@nestjs/${name}`,
);
const LOWEST_NEST = '12.0.4';

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-package-'));
try {
  const tarballs = pack();
  for (const tarball of tarballs) judge(tarball);
  await startWithoutDevelopmentPackages();
  for (const version of [LOWEST_NEST, '12']) testTeam(tarballs, version);
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function run(command, args, cwd = ROOT, stdio = ['ignore', 'pipe', 'inherit']) {
  return execFileSync(command, args, { cwd, encoding: 'utf8', stdio, maxBuffer: 1 << 26 });
}

function npm(args, cwd) {
  run('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund', '--loglevel=error'], cwd);
}

/** Lets a step say how long it took. */
function report(what, startedAt) {
  console.log(`${what}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/** The service, and the packages that a team installs beside it. */
function pack() {
  const startedAt = Date.now();
  const packages = ['.', './packages/embedded-postgres', './packages/testing'];
  const args = ['--json', '--silent', '--ignore-scripts', '--pack-destination', folder];
  const output = run('npm', ['pack', ...packages, ...args]);
  const packs = Object.values(JSON.parse(output.slice(output.search(/^[[{]/m))));
  const [{ files }] = packs;
  const packed = new Set(files.map((file) => file.path));
  const missing = NEEDED.filter((file) => !packed.has(file));
  if (missing.length > 0) throw new Error(`the tarball lacks ${missing.join(', ')}`);
  if ([...packed].some((file) => /\.spec\.|^test\/|^src\//.test(file))) {
    throw new Error('the tarball holds sources or tests');
  }
  report(`packed ${packed.size} files`, startedAt);
  return packs.map(({ filename }) => path.join(folder, filename));
}

function judge(tarball) {
  const startedAt = Date.now();
  const modules = path.join(ROOT, 'node_modules');
  run(process.execPath, [path.join(modules, 'publint/src/cli.js'), 'run', tarball, '--strict']);
  run(process.execPath, [
    path.join(modules, '@arethetypeswrong/cli/dist/index.js'),
    ...[tarball, '--profile', 'esm-only', '--no-emoji', '--no-color'],
    // A file of JSON has no types.
    ...['--exclude-entrypoints', './package.json'],
  ]);
  report('publint and arethetypeswrong pass', startedAt);
}

/**
 * As in an image: the lockfile's packages without those for development, then the service, without
 * its database.
 */
async function startWithoutDevelopmentPackages() {
  const startedAt = Date.now();
  const copy = path.join(folder, 'service');
  const parts = ['package.json', 'package-lock.json', '.npmrc', 'dist', 'migrations', 'sql'];
  for (const entry of parts) {
    cpSync(path.join(ROOT, entry), path.join(copy, entry), { recursive: true });
  }
  npm(['ci', '--omit=dev', '--workspaces=false'], copy);
  const env = {
    PATH: process.env.PATH,
    PORT: String(await freePort()),
    DATABASE_URL: 'postgres://127.0.0.1:1/none',
  };
  const waitFor = 'live';
  const server = await startServer(['dist/main.js'], {
    cwd: copy,
    env,
    stdout: 'inherit',
    waitFor,
  });
  if ((await server.stop()) !== 0) process.exitCode = 1;
  report('the service starts and stops after `npm ci --omit=dev`', startedAt);
}

/** The example team in a folder of its own, with nothing of this repository but the tarballs. */
function testTeam(tarballs, nestVersion) {
  const startedAt = Date.now();
  const team = path.join(folder, `acme-${nestVersion}`);
  cpSync(path.join(ROOT, 'examples/acme'), team, {
    recursive: true,
    filter: (source) => !/node_modules|\/dist$/.test(source),
  });
  npm(['install', ...tarballs, ...NEST.map((name) => `${name}@${nestVersion}`)], team);
  const installed = path.join(team, 'node_modules/@nestjs/core/package.json');
  const { version } = JSON.parse(readFileSync(installed, 'utf8'));
  run('npm', ['test'], team, 'inherit');
  report(`the example team passes on NestJS ${version}`, startedAt);
}
