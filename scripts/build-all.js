/** Builds the service and the packages, in parallel where they do not need each other. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** @returns the exit code of the build of a package. Default: of the service. */
async function build(...names) {
  const workspaces = names.flatMap((name) => ['--workspace', `@deal-sets/${name}`]);
  const args = ['run', '--silent', 'build', ...workspaces];
  const [exitCode] = await once(spawn('npm', args, { stdio: 'inherit' }), 'exit');
  return exitCode;
}

async function buildAtOnce(...builds) {
  const exitCodes = await Promise.all(builds);
  if (exitCodes.some((exitCode) => exitCode !== 0)) process.exit(1);
}

await buildAtOnce(build(), build('embedded-postgres'), build('client'));
await buildAtOnce(build('testing'), build('demo'));
