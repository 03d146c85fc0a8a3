import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runInProcess, type CommandOutcome } from '../../setup/run-command.js';
import { createTestDatabase, type TestDatabase } from '../../setup/test-database.js';

/** A UUID that no record has. */
export const UNKNOWN = '99999999-9999-4999-8999-999999999999';
export const AUDIT_LINE = /^\{.*"msg":"audit"\}\n/m;

/** A file's database and working directory, and functions that run commands in this process. */
export interface CommandSuite {
  /** Created before the first test. */
  readonly database: TestDatabase;
  /** The working directory of the commands. Created before the first test. */
  readonly cwd: string;
  readonly run: (args: readonly string[], env?: object) => Promise<CommandOutcome>;
  /** Runs a command that has no result, and returns its output without the audit line. */
  readonly noteOf: (args: readonly string[], env?: object) => Promise<string>;
  /** Asserts that a command fails with one line that matches `words`. */
  readonly expectFailure: (args: readonly string[], words: RegExp, env?: object) => Promise<void>;
}

/**
 * Creates the database and the directory before the tests of a file, and removes both after them.
 */
export function commandSuite(): CommandSuite {
  let database: TestDatabase;
  let cwd: string;
  beforeAll(async () => {
    database = await createTestDatabase();
    cwd = mkdtempSync(path.join(tmpdir(), 'deal-sets-commands-'));
  });
  afterAll(async () => {
    await database.drop();
    rmSync(cwd, { recursive: true, force: true });
  });

  const run = (args: readonly string[], env: object = {}): Promise<CommandOutcome> =>
    runInProcess(args, { cwd, env: { DATABASE_URL: database.url, ...env } });

  return {
    get database() {
      return database;
    },
    get cwd() {
      return cwd;
    },
    run,
    async noteOf(args, env) {
      const { exitCode, stdout, stderr } = await run(args, env);
      expect({ exitCode, stdout, stderr }).toMatchObject({ exitCode: 0, stdout: '' });
      return stderr.replace(AUDIT_LINE, '');
    },
    async expectFailure(args, words, env) {
      const { exitCode, stdout, stderr } = await run(args, env);
      expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
      expect(stderr).toMatch(/^[^\n]+\n$/);
      expect(stderr).toMatch(words);
    },
  };
}
