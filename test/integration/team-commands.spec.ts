import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

describe("the commands with a team's additions", () => {
  let database: TestDatabase;
  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  const run = (...args: string[]) => runCommand(args, { env: { DATABASE_URL: database.url } });

  it('migrate applies and reverts migrations of a folder, and names the option that is missing', async () => {
    const directory = mkdtempSync(path.join(tmpdir(), 'own-migrations-'));
    const write = (direction: string, sql: string): void =>
      writeFileSync(path.join(directory, `1763600000000-notes.${direction}.sql`), sql);
    write('up', 'CREATE TABLE acme_note (buyer_id uuid REFERENCES buyer, words text)');
    write('down', 'DROP TABLE acme_note');
    try {
      const migrate = (...args: string[]) => run('migrate', '--directory', directory, ...args);
      expect((await migrate()).stderr).toContain('--table');
      const table = ['--table', 'acme_migration'];
      expect((await migrate(...table, '--check')).stderr).toContain('Pending: notes-1763600000000');
      expect((await migrate(...table)).stderr).toContain('Applied notes-1763600000000');
      expect(await migrate(...table, '--check')).toMatchObject({ exitCode: 0 });
      expect((await migrate(...table, '--revert')).stderr).toContain(
        'Reverted notes-1763600000000',
      );
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
