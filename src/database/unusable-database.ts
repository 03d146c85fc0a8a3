import { migrationNames } from './sql-migrations.js';

/**
 * What an operator does about a database whose tables are older than the first migration. This
 * version cannot migrate such a database.
 */
export const EARLIER_VERSION_REMEDY =
  'The tables of this database belong to an earlier version: export the data with that version, and import the file into an empty database that this version has migrated.';

/** The error of a command on a database whose tables belong to an earlier version. */
export class EarlierVersionError extends Error {
  override readonly name = 'EarlierVersionError';

  constructor() {
    super(EARLIER_VERSION_REMEDY);
  }
}

/** What an operator does about a database with another encoding than UTF-8. */
export const NOT_UTF8_REMEDY =
  "The encoding of this database is not UTF-8: create a database with ENCODING 'UTF8', and use that.";

/** The error of a command on a database with another encoding than UTF-8. */
export class NotUtf8Error extends Error {
  override readonly name = 'NotUtf8Error';

  constructor() {
    super(NOT_UTF8_REMEDY);
  }
}

/** SQL that is true in a database with the encoding that the texts need. */
export const IS_UTF8 = `current_setting('server_encoding') = 'UTF8'`;

/** SQL that is true in a database whose tables are in the schema `public`, as they once were. */
export const HAS_TABLES_IN_PUBLIC = `to_regclass('public.schema_code') IS NOT NULL`;

/**
 * Returns SQL that is true for the name of a migration that is older than the first one of this
 * version. Each name ends with the time at which the migration was written.
 *
 * @param name the SQL expression of the migration's name.
 */
export function isEarlierMigration(name: string): string {
  return `right(${name}, 13) < '${migrationNames()[0]?.slice(-13)}'`;
}
