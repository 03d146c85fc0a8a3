/**
 * Runs a command on another version of Node. npm has Node's program as a package for each platform;
 * the script installs it in a temporary folder and puts it first in the command's PATH.
 *
 *   node scripts/with-node.js 24 npm run test:api
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import path from 'node:path';

const [version, command, ...args] = process.argv.slice(2);
if (version === undefined || command === undefined)
  throw new Error('usage: node scripts/with-node.js <version> <command> [arguments]');
// The child has the same terminal and ends by the same signal; this process stays to tidy up.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-node-'));
try {
  // A command may start programs under another account, which must reach Node.
  chmodSync(folder, 0o755);
  const node = `node-${process.platform}-${process.arch}@${version}`;
  const installed = run('npm', ['install', '--prefix', folder, '--no-save', node], process.env);
  const bin = path.join(folder, 'node_modules/.bin');
  const PATH = [bin, process.env.PATH].join(path.delimiter);
  process.exitCode = installed || run(command, args, { ...process.env, PATH });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @returns the exit code, as a shell has it. */
function run(program, programArgs, env) {
  const { error, status, signal } = spawnSync(program, programArgs, { stdio: 'inherit', env });
  if (error) throw error;
  return status ?? 128 + constants.signals[signal];
}
