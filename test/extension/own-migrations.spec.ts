import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { migrateDirectory, pendingInDirectory, revertInDirectory } from '../../src/index.js';
import { createTestDatabase, type TestDatabase } from '../setup/test-database.js';

const NOTES = '1763600000000-notes';
const TOPICS = '1763600000001-topics';

describe('migrations of a team', () => {
  let database: TestDatabase;
  let directory: string;
  let source: Parameters<typeof migrateDirectory>[0];

  const write = (name: string, up: string, down: string): void => {
    writeFileSync(path.join(directory, `${name}.up.sql`), up);
    writeFileSync(path.join(directory, `${name}.down.sql`), down);
  };

  beforeEach(async () => {
    database = await createTestDatabase();
    directory = mkdtempSync(path.join(tmpdir(), 'own-migrations-'));
    source = { databaseUrl: database.url, directory, table: 'acme_migration' };
    write(
      NOTES,
      'CREATE TABLE acme_note (buyer_id uuid REFERENCES buyer ON DELETE CASCADE, words text)',
      'DROP TABLE acme_note',
    );
  });
  afterEach(async () => {
    await database.drop();
    rmSync(directory, { recursive: true });
  });

  it('are applied once, recorded in the table that the team names, beside the service’s', async () => {
    const own = 'SELECT name FROM schema_migration ORDER BY 1';
    const before = await database.query(own);
    expect(await migrateDirectory(source)).toEqual(['notes-1763600000000']);
    expect(await migrateDirectory(source)).toEqual([]);
    write(TOPICS, 'ALTER TABLE acme_note ADD topic text', 'ALTER TABLE acme_note DROP topic');
    expect(await pendingInDirectory(source)).toEqual(['topics-1763600000001']);
    expect(await migrateDirectory(source)).toEqual(['topics-1763600000001']);
    expect(await revertInDirectory(source)).toBe('topics-1763600000001');
    expect(await database.query('SELECT name FROM acme_migration')).toEqual([
      { name: 'notes-1763600000000' },
    ]);
    expect(await database.query(own)).toEqual(before);
  });

  it.each([
    ['a table with other characters', { table: 'acme; drop' }, 'must be a name of a-z'],
    ['the service’s own table', { table: 'schema_migration' }, 'name another'],
    ['a folder that is not there', { directory: '/nowhere' }, 'check its path'],
  ])('refuse %s', async (_what, wrong, problem) => {
    await expect(migrateDirectory({ ...source, ...wrong })).rejects.toThrow(problem);
  });

  it('refuse a file that would be left out, and half of a pair', async () => {
    writeFileSync(path.join(directory, 'more.sql'), 'SELECT 1');
    await expect(migrateDirectory(source)).rejects.toThrow('more.sql is not named like');
    rmSync(path.join(directory, 'more.sql'));
    rmSync(path.join(directory, `${NOTES}.down.sql`));
    await expect(migrateDirectory(source)).rejects.toThrow(`has no ${NOTES}.down.sql`);
    expect(await database.query("SELECT to_regclass('acme_note') AS made")).toEqual([
      { made: null },
    ]);
  });
});
