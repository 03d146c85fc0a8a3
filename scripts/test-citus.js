// Builds the project and runs test/citus on a separate cluster, if PG_CONFIG (default: pg_config)
// belongs to a PostgreSQL installation with the Citus extension.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';

const config = process.env.PG_CONFIG ?? 'pg_config';
const valueOf = (what) =>
  String(spawnSync(config, [what], { encoding: 'utf8' }).stdout ?? '').trim();
const [bin, share] = [valueOf('--bindir'), valueOf('--sharedir')];
if (bin === '' || !existsSync(path.join(share, 'extension/citus.control'))) {
  console.error(
    `${config} does not belong to a PostgreSQL with the extension citus. Set PG_CONFIG to the pg_config of one.`,
  );
  process.exit(1);
}
const run = (command, ...args) => {
  const { status } = spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, CITUS_PROGRAMS: bin },
  });
  if (status !== 0) process.exit(status ?? 1);
};
run('npm', 'run', '--silent', 'build');
run('npx', 'jest', '--selectProjects', 'citus', '--runInBand', ...process.argv.slice(2));
