// Runs test/citus on a cluster of its own, where PG_CONFIG (or pg_config) is that of a PostgreSQL
// with the extension.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const config = process.env.PG_CONFIG ?? 'pg_config';
const valueOf = (what) =>
  String(spawnSync(config, [what], { encoding: 'utf8' }).stdout ?? '').trim();
const [bin, share] = [valueOf('--bindir'), valueOf('--sharedir')];
if (bin === '' || !existsSync(path.join(share, 'extension/citus.control'))) {
  console.log(
    `Skipped: ${config} names no PostgreSQL with the extension citus; set PG_CONFIG to one.`,
  );
  process.exit(0);
}
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, CITUS_PROGRAMS: bin },
  });
  if (status !== 0) process.exit(status ?? 1);
};
run('npm', 'run', '--silent', 'build:all');
run('npx', 'jest', '--selectProjects', 'citus', '--runInBand', ...process.argv.slice(2));
