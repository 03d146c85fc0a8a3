import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { ChildProcess } from 'node:child_process';
import {
  buyer,
  buyerWithRequests,
  dealSet,
  draft,
  load,
  ndjson,
  priceCheck,
  question,
  reply,
} from '../../builders/index.js';
import { eventually } from '../../setup/eventually.js';
import { runCommand, runInProcess, startCommand } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** The lines of progress that a command prints on a busy machine, one every five seconds. */
const PROGRESS = '(?:(?:reading|writing).* \\(\\d+ s\\)\\n)*';

/** Matches the summary of an import, with these lines about the kinds. */
const imported = (...kinds: string[]): unknown =>
  expect.stringMatching(
    new RegExp(
      `^${PROGRESS}Imported \\d+ records? in \\d+\\.\\d s:\\n${kinds.map((line) => `  ${line.replaceAll(/[().]/g, '\\$&')}\\n`).join('')}$`,
    ),
  );

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
      expect.stringMatching(
        new RegExp(
          `^${PROGRESS}Dry run, nothing was kept: 1 record in \\d+\\.\\d s:\\n {2}1 buyer: 1 new, 0 changed\\n$`,
        ),
      ),
    ]);
    expect(await isStored()).toBe(false);
    expect(await importOf(ndjson([anna]))).toEqual([0, imported('1 buyer: 1 new, 0 changed')]);
    expect(await isStored()).toBe(true);
    const input = ndjson([anna]);
    expect(await runCommand(['import', '--backfill', '-'], { ...options(), input })).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: imported('1 buyer: 0 new, 0 changed'),
    });
  });

  it('counts the records of each kind, and the parts of listings that are withheld', async () => {
    const { anna, shop, set, row, single } = buyerWithRequests();
    await load(database, [anna, shop, set, row]);
    const file = [
      ...[shop, set, single],
      { ...row, listing: { trim: 'EX Honda of Fremont', model: 'CR-V' } },
      reply({ priceCheckId: row.id }),
      reply({ priceCheckId: row.id }),
    ];
    expect(await importOf(ndjson(file))).toEqual([
      0,
      imported(
        '1 dealership: 0 new, 0 changed',
        '1 deal set: 0 new, 0 changed',
        '2 price checks: 1 new, 1 changed; 2 parts of listings withheld (docs/privacy.md)',
        '2 replies: 2 new, 0 changed',
      ),
    ]);
  });

  it('warns of open drafts and counts open items that a buyer cannot read', async () => {
    const { anna, shop, set, row } = buyerWithRequests();
    const seen = priceCheck({ ...row, id: randomUUID(), unlockedAt: '2026-01-05T00:00:00Z' });
    const ofHidden = { priceCheckId: row.id };
    const file = [
      ...[anna, shop, set, row, seen],
      question(ofHidden),
      question({ ...ofHidden, textWhileHidden: 'When?' }),
      question({ ...ofHidden, answeredAt: '2026-01-06T00:00:00Z' }),
      question({ priceCheckId: seen.id }),
      draft(ofHidden),
      draft(ofHidden),
      draft({ ...ofHidden, bodyWhileHidden: 'At noon.' }),
      draft({ ...ofHidden, resolvedAt: '2026-01-06T00:00:00Z' }),
    ];
    const [exitCode, text] = await importOf(ndjson(file));
    expect(exitCode).toBe(0);
    expect(text).toContain(
      '\n1 open question and 2 open drafts of hidden dealerships have no text that the buyer may read (docs/privacy.md).\n' +
        'Warning: set bodyWhileHidden on the drafts, which can be written without a name: lines 10 and 11.\n',
    );
  });

  it('prints the JSON Schema of a line without a database', async () => {
    const { exitCode, stdout, stderr } = await runInProcess(['import', '--schema']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    const { oneOf } = JSON.parse(stdout) as { oneOf: object[] };
    expect(oneOf).toContainEqual(
      expect.objectContaining({ required: ['id', 'priceCheckId', 'record'] }),
    );
  });

  it('fails without a file, and names what is missing', async () => {
    expect(await runInProcess(['import'], options())).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: 'No file: specify one, or - for standard input.\n',
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

  it('does not count the skipped records of an erased buyer as imported', async () => {
    const [anna, ben] = [buyer(), buyer()];
    await load(database, [anna]);
    await runInProcess(['erase', '--yes', '--buyer', anna.id], options());
    const records = [anna, dealSet({ buyerId: anna.id })];
    const skipped = 'Skipped 2 records of erased buyers: .+\\n$';
    expect(await importOf(ndjson([...records, ben]))).toEqual([
      0,
      expect.stringMatching(
        new RegExp(`^Imported 1 record in \\S+ s:\\n {2}1 buyer: 1 new, 0 changed\\n${skipped}`),
      ),
    ]);
    expect(await importOf(ndjson(records))).toEqual([
      0,
      expect.stringMatching(new RegExp(`^Imported 0 records in \\S+ s\\.\\n${skipped}`)),
    ]);
  });

  it('warns of a backfill whose requests polling clients do not see', async () => {
    const anna = buyer();
    await load(database, [anna]);
    const file = ndjson([dealSet({ buyerId: anna.id, latestActivityAt: '2026-02-01T00:00:00Z' })]);
    expect(await importOf(file, '--backfill')).toEqual([
      0,
      expect.stringMatching(
        /^Imported 1 record in \S+ s:\n {2}1 deal set: 1 new, 0 changed\nWarning: 1 new request of existing buyers has a stamp before this import, so polling clients will not receive it\. .+\n$/,
      ),
    ]);
    expect(await importOf(file, '--backfill')).toEqual([
      0,
      imported('1 deal set: 0 new, 0 changed'),
    ]);
  });

  it('names the description of the format, which the package contains', async () => {
    const { stdout } = await runInProcess(['import', '--help']);
    expect(stdout).toContain('docs/import-format.md');
    const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { files: string[] };
    expect(manifest.files).toContain('docs');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'reports on %s that nothing was imported, keeps nothing and exits with %i',
    async (signal, exitCode) => {
      const anna = buyer();
      const { child, output } = start('-');
      child.stdin?.write(ndjson([anna]));
      await eventually(async () => expect(await isLocked()).toBe(true));
      child.kill(signal);
      expect(await once(child, 'close')).toEqual([exitCode, null]);
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
      await eventually(() =>
        expect(output()).toBe('waiting for another import into this database to finish\n'),
      );
    }
    first.child.kill('SIGINT');
    expect(await once(first.child, 'close')).toEqual([130, null]);
    expect(first.output()).toMatch(/\nInterrupted; nothing was imported\.\n$/);
    const closed = once(second.child, 'close');
    await database.query('COMMIT');
    expect(await closed).toEqual([0, null]);
    expect(second.output()).toMatch(
      /\nImported 1 record in \S+ s:\n {2}1 buyer: 1 new, 0 changed\n$/,
    );
  });
});
