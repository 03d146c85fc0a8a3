import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { childEnvironment } from '../../setup/child-environment.js';
import { eventually } from '../../setup/eventually.js';
import { runDirectoryPrefix } from '../../setup/run-directory.js';

const ROOT = path.resolve(__dirname, '../../..');
const JEST = path.join(ROOT, 'node_modules/jest/bin/jest.js');
/** The folder that contains the folder of this run. */
const TEMPORARY = path.dirname(tmpdir());
/** Suites that start their own servers and processes. */
const SUITES = 'embedded-postgres/test|operations/import-command';

/** Returns the command lines of the processes that use the folder of a run. */
function processesOf(run: number): string[] {
  const marks = runDirectoryPrefix(run);
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      return `${command} ${environment}`.includes(marks) ? [command] : [];
    } catch {
      return [];
    }
  });
}

function foldersOf(run: number): string[] {
  return readdirSync(TEMPORARY).filter((name) => name.startsWith(runDirectoryPrefix(run)));
}

const onLinux = process.platform === 'linux' ? describe : describe.skip;
onLinux('a run of the tests that is killed', () => {
  it.each(['SIGTERM', 'SIGKILL'] as const)(
    'leaves no process and no folder after %s',
    async (signal) => {
      const args = [JEST, '--selectProjects', 'full', '--maxWorkers', '2'];
      const run = spawn(process.execPath, [...args, '--testPathPatterns', SUITES], {
        cwd: ROOT,
        env: childEnvironment({ TMPDIR: TEMPORARY }),
        stdio: 'ignore',
      });
      const pid = run.pid!;
      try {
        await eventually(() => {
          const servers = processesOf(pid).filter((command) =>
            command.includes('/bin/postgres -D'),
          );
          expect(new Set(servers).size).toBeGreaterThanOrEqual(2);
        });
        expect(foldersOf(pid)).toHaveLength(1);
      } finally {
        run.kill(signal);
      }
      await eventually(() => {
        expect(processesOf(pid)).toEqual([]);
        expect(foldersOf(pid)).toEqual([]);
      });
    },
  );
});
