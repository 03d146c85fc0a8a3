import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import { buyer, dealSet, load, ndjson } from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { runCommand, runInProcess, startCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** A busy machine may take long to start a process. */
const STARTED_MS = 30_000;

describe('the command import', () => {
  let database: TestDatabase;
  let cwd: string;
  const children: ChildProcess[] = [];
  beforeAll(async () => {
    database = await createTestDatabase();
    cwd = mkdtempSync(path.join(tmpdir(), 'deal-sets-import-'));
  });
  afterEach(async () => {
    // Without effect unless a test failed while it held the lock.
    await database.query('ROLLBACK');
    for (const child of children.splice(0)) child.kill('SIGKILL');
  });
  afterAll(async () => {
    await database.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const options = (): { cwd: string; env: Record<string, string> } => ({
    cwd,
    env: { DATABASE_URL: database.url },
  });
  /** The output of an import of this text, which is written to a file. */
  async function importOf(text: string, ...flags: string[]): Promise<[number | null, string]> {
    writeFileSync(path.join(cwd, 'requests.ndjson'), text);
    const { exitCode, stdout, stderr } = await runInProcess(
      ['import', ...flags, 'requests.ndjson'],
      options(),
    );
    expect(stdout).toBe('');
    return [exitCode, stderr];
  }

  /** Starts an import that continues while the test inspects it. */
  function start(file: string): { child: ChildProcess; output: () => string } {
    const child = startCommand(['import', file], options());
    children.push(child);
    let output = '';
    child.stderr?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, output: () => output };
  }

  const isLocked = async (): Promise<boolean> => {
    const [row] = await database.query<{ locked: boolean }>(
      `SELECT EXISTS (SELECT FROM pg_locks l JOIN pg_stat_activity a USING (pid)
         WHERE l.locktype = 'advisory' AND l.granted AND a.datname = current_database()
           AND a.application_name = 'deal-sets command') AS locked`,
    );
    return row!.locked;
  };

  it('loads a file and standard input, and keeps nothing of a dry run', async () => {
    const anna = buyer();
    const isStored = async (): Promise<boolean> =>
      (await database.query('SELECT FROM deal_sets.buyer WHERE id = $1', [anna.id])).length === 1;
    expect(await importOf(ndjson([anna]), '--dry-run')).toEqual([
      0,
      'Dry run, nothing was kept: 1 record: 1 new, 0 changed.\n',
    ]);
    expect(await isStored()).toBe(false);
    expect(await importOf(ndjson([anna]))).toEqual([0, 'Imported 1 record: 1 new, 0 changed.\n']);
    expect(await isStored()).toBe(true);
    const input = ndjson([anna]);
    expect(await runCommand(['import', '--backfill', '-'], { ...options(), input })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'Imported 1 record: 0 new, 0 changed.\n',
    });
  });

  it('names line, key and reason, and fails', async () => {
    expect(await importOf('{"record":"buyer","id":1}\n{\n')).toEqual([
      1,
      'line 1: buyer.id: must be a UUID\n' +
        'line 2: must be valid JSON, one JSON object on each line\n' +
        'Nothing was imported: correct the file and import it again.\n',
    ]);
  });

  it('warns of a backfill whose requests polling clients do not see', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const file = ndjson([dealSet({ buyerId: anna.id, latestActivityAt: '2026-02-01T00:00:00Z' })]);
    expect(await importOf(file, '--backfill')).toEqual([
      0,
      expect.stringMatching(
        /^Imported 1 record: 1 new, 0 changed\.\nWarning: 1 new request of existing buyers has a stamp before this import, so polling clients will not receive it\. .+\n$/,
      ),
    ]);
    expect(await importOf(file, '--backfill')).toEqual([
      0,
      'Imported 1 record: 0 new, 0 changed.\n',
    ]);
  });

  it('names the description of the format, which the package contains', async () => {
    const { stdout } = await runInProcess(['import', '--help']);
    expect(stdout).toContain('docs/import-format.md');
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(manifest.files).toContain('docs');
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    'reports on %s that nothing was imported, and keeps nothing',
    async (signal) => {
      const anna = buyer();
      const { child, output } = start('-');
      child.stdin?.write(ndjson([anna]));
      await eventually(async () => expect(await isLocked()).toBe(true), STARTED_MS);
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([1, null]);
      expect(output()).toBe('Interrupted; nothing was imported.\n');
      expect(await database.query('SELECT FROM deal_sets.buyer WHERE id = $1', [anna.id])).toEqual(
        [],
      );
      await eventually(async () => expect(await isLocked()).toBe(false));
    },
  );

  it('reports what it waits for, can be interrupted while it waits, and continues afterwards', async () => {
    await database.query('BEGIN');
    await database.query(`SELECT pg_advisory_xact_lock(hashtextextended('deal_sets.import', 0))`);
    const file = path.join(cwd, 'waits.ndjson');
    writeFileSync(file, ndjson([buyer()]));
    const [first, second] = [start(file), start(file)];
    for (const { output } of [first, second]) {
      await eventually(
        () => expect(output()).toBe('waiting for another import into this database to finish\n'),
        STARTED_MS,
      );
    }
    first.child.kill('SIGINT');
    expect(await once(first.child, 'close')).toEqual([1, null]);
    expect(first.output()).toMatch(/\nInterrupted; nothing was imported\.\n$/);
    const closed = once(second.child, 'close');
    await database.query('COMMIT');
    expect(await closed).toEqual([0, null]);
    expect(second.output()).toMatch(/\nImported 1 record: 1 new, 0 changed\.\n$/);
  });
});
