import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/**
 * The package's directory of SQL code: two levels above this file, both in the sources and in the
 * build.
 */
const DIRECTORY = new URL('../../sql/', import.meta.url);

/** The files that compute stored rows. */
const RULES = ['listings.sql', 'read-model.sql'];

/** The functions, triggers and grants of this version, as `migrate` executes them. */
export interface SqlFiles {
  /** The version of the code (`sql/version`). A database keeps the code of the highest version. */
  readonly number: number;
  /** SHA-256 of the functions and triggers. */
  readonly hash: string;
  /** SHA-256 of the rules that compute stored rows. When they change, the rows need a rebuild. */
  readonly rulesHash: string;
  /** The functions and triggers: a block for each file, in the order in which they are executed. */
  readonly code: readonly string[];
  /** The reading roles and their grants. */
  readonly roles: string;
  /** What a distributed database needs instead; it does nothing in any other. */
  readonly distribution: string;
}

/** Reads the files of `sql/`. */
export function readSqlFiles(): SqlFiles {
  const read = (file: string): string => readFileSync(new URL(file, DIRECTORY), 'utf8');
  const rules = RULES.map(read);
  const code = [...rules, read('feed.sql')];
  return {
    number: Number(read('version')),
    hash: hashOf(code),
    rulesHash: hashOf(rules),
    code: code.map(asOneStatement),
    roles: read('roles.sql'),
    distribution: read('distribute.sql'),
  };
}

/**
 * Returns a block that executes the statements of a file one by one. Without the block, Citus sends
 * its workers the whole file where it should send one statement of it, and they reject that.
 */
export function asOneStatement(file: string): string {
  return `DO $file$ BEGIN\n${file}\nEND $file$`;
}

function hashOf(files: readonly string[]): string {
  return createHash('sha256').update(files.join('\n')).digest('hex');
}
