/**
 * Runs a command on another version of Node. npm offers Node as a package for each platform; the
 * script installs it in a temporary folder and puts that folder first in the command's PATH.
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
// The terminal also sends its signals to the child, which ends. This process must not end before it
// has removed the folder.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => undefined);

const folder = mkdtempSync(path.join(tmpdir(), 'deal-sets-node-'));
try {
  // A command may start programs under another account, which needs access to Node.
  chmodSync(folder, 0o755);
  const node = `node-${process.platform}-${process.arch}@${version}`;
  const installed = run('npm', ['install', '--prefix', folder, '--no-save', node], process.env);
  const bin = path.join(folder, 'node_modules/.bin');
  const PATH = [bin, process.env.PATH].join(path.delimiter);
  process.exitCode = installed || run(command, args, { ...process.env, PATH });
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** Runs a program and returns the exit code that a shell would report. */
function run(program, programArgs, env) {
  const { error, status, signal } = spawnSync(program, programArgs, { stdio: 'inherit', env });
  if (error) throw error;
  return status ?? 128 + constants.signals[signal];
}
