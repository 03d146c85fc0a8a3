/**
 * Checks that the build with which the tests run (`build.js`, swc) behaves like the one that is
 * packed (`build-packages.js`, TypeScript):
 *
 * - Each module loads, and the types of parameters that both compilers record for decorators, by
 *   which NestJS injects, are the same.
 * - The command line prints the same help, byte for byte.
 * - The service migrates a database, starts, describes its API in the same way, and stops. swc
 *   records fewer types of properties (`Object` for a name of a type), and this shows that none of
 *   those matters.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './build-folders.js';
import { compileService } from './build-packages.js';
import { isBuilt } from './build-record.js';
import { build, emitService } from './build.js';
import { freePort, startServer } from './local-server.js';

const run = promisify(execFile);

/** Makes a folder with a build and with what the build reads outside of `dist`. */
async function install(folder, write) {
  mkdirSync(folder);
  for (const name of ['migrations', 'node_modules', 'package.json', 'sql'])
    symlinkSync(path.join(ROOT, name), path.join(folder, name));
  await write(path.join(folder, 'dist'));
}

/** Returns what the build in a folder shows of itself. */
async function inspect(folder, databaseUrl) {
  const port = String(await freePort());
  const env = { PATH: process.env.PATH, HOST: '127.0.0.1', PORT: port, DATABASE_URL: databaseUrl };
  const node = async (...args) => {
    const options = { cwd: folder, env, maxBuffer: 1 << 26 };
    return (await run(process.execPath, args, options)).stdout;
  };
  const types = await node(path.join(ROOT, 'scripts/decorator-metadata.js'), 'dist');
  const help = await node('dist/cli.js', '--help');
  await node('dist/cli.js', 'migrate');
  const service = await startServer(['dist/main.js'], { cwd: folder, env });
  const description = await fetch(`http://127.0.0.1:${port}/api/v1/openapi.json`);
  const api = JSON.stringify(await description.json(), null, 1).replaceAll(`:${port}`, ':PORT');
  const exitCode = await service.stop();
  if (exitCode !== 0) throw new Error(`main.js ended with ${exitCode}`);
  return { 'types of parameters': types, 'help of the command line': help, 'API description': api };
}

/** Fails with the lines that only one of two texts contains. */
function compare(what, ofSwc, ofTsc) {
  const [swc, tsc] = [ofSwc, ofTsc].map((text) => text.split('\n'));
  const only = (mark, lines, others) =>
    lines.filter((line) => !others.includes(line)).map((line) => `${mark} ${line}`);
  if (ofSwc !== ofTsc)
    throw new Error(
      [`${what}: swc and tsc differ`, ...only('swc', swc, tsc), ...only('tsc', tsc, swc)].join(
        '\n',
      ),
    );
  console.log(`${what}: the same ${tsc.length - 1} lines`);
}

await build();
if (!isBuilt()) throw new Error('the build is not current right after it was made');
const { EmbeddedPostgres } = await import('../packages/embedded-postgres/dist/index.js');
const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-build-'));
const [ofSwc, ofTsc] = ['swc', 'tsc'].map((compiler) => path.join(folder, compiler));
try {
  await install(ofSwc, emitService);
  await install(ofTsc, compileService);
  const directory = path.join(folder, 'postgres');
  const postgres = await EmbeddedPostgres.attachOrStart({ directory, isThrowAway: true });
  try {
    const swc = await inspect(ofSwc, postgres.url);
    const tsc = await inspect(ofTsc, postgres.url);
    for (const what of Object.keys(tsc)) compare(what, swc[what], tsc[what]);
  } finally {
    await postgres.stop();
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
