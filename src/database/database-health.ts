import { Injectable } from '@nestjs/common';
import { withTimeLimit } from '../kernel/time-limit.js';
import { TimeLimits } from '../kernel/time-limits.js';
import type { Statement } from './cancellable-reader.js';
import { ReadDatabase } from './read-database.js';
import { readSqlFiles } from './sql-files.js';
import { MIGRATION_TABLE, migrationNames } from './sql-migrations.js';
import { HAS_TABLES_IN_PUBLIC, IS_UTF8, isEarlierMigration } from './unusable-database.js';

/** The result of a health check of the database. */
export interface DatabaseState {
  /**
   * Why requests cannot be served; undefined when they can. `roles_missing`: a role or a grant is
   * missing, for example after a restore. `migrations_pending`: this version's migrations or
   * functions are not applied; a database of a newer version is accepted. `earlier_version`: the
   * tables belong to a version whose databases this one cannot migrate. `not_utf8`: the database has
   * another encoding.
   */
  readonly reason?:
    | 'database_unreachable'
    | 'roles_missing'
    | 'migrations_pending'
    | 'earlier_version'
    | 'not_utf8';
  /**
   * Whether the rules that compute stored rows have changed since the rows were computed.
   * `deal-sets rebuild` computes the rows again.
   */
  readonly needsRebuild: boolean;
  /** The error that caused the reason, for the log. */
  readonly failure?: unknown;
}

/**
 * Milliseconds for which a result is kept. Several probes may arrive together, and the database is
 * queried at most once in this time.
 */
const CACHED_MS = 1_000;
/** Reasons by SQLSTATE: unknown role (22023), missing privilege (42501), missing table (42P01). */
const REASONS: ReadonlyMap<unknown, NonNullable<DatabaseState['reason']>> = new Map([
  ['22023', 'roles_missing'],
  ['42501', 'roles_missing'],
  ['42P01', 'migrations_pending'],
]);

interface AppliedVersion {
  readonly needsRebuild: boolean;
  readonly isCurrent: boolean;
  readonly isEarlier: boolean;
}

/** Parameters: $1 the version of the code of `sql/`, $2 the names of this version's migrations. */
const APPLIED: Statement<AppliedVersion> = {
  name: 'applied_version',
  text: `SELECT c.needs_rebuild AS "needsRebuild", c.number >= $1 AND $2::text[] <@ m.names AS "isCurrent",
  EXISTS (SELECT FROM unnest(m.names) AS applied (name) WHERE ${isEarlierMigration('applied.name')}) AS "isEarlier"
FROM deal_sets.schema_code c, (SELECT array_agg(name::text) AS names FROM deal_sets.${MIGRATION_TABLE}) m`,
};

/** For a database without the tables of `APPLIED`. */
const WITHOUT_TABLES: Statement<{ readonly isEarlier: boolean; readonly isUtf8: boolean }> = {
  name: 'without_tables',
  text: `SELECT ${HAS_TABLES_IN_PUBLIC} AS "isEarlier", ${IS_UTF8} AS "isUtf8"`,
};

/**
 * Checks whether the database is reachable and migrated and its roles have their grants, for
 * readiness probes and health checks of a host application.
 */
@Injectable()
export class DatabaseHealth {
  readonly #expected = [readSqlFiles().number, migrationNames()];
  #cached: Promise<DatabaseState> | undefined;
  #cachedUntil = 0;

  /** @internal */
  constructor(
    private readonly database: ReadDatabase,
    private readonly limits: TimeLimits,
  ) {}

  /**
   * Checks the database.
   *
   * @returns a result that is at most one second old; the promise never rejects.
   */
  check(): Promise<DatabaseState> {
    const now = performance.now();
    if (this.#cached && now < this.#cachedUntil) return this.#cached;
    this.#cachedUntil = now + CACHED_MS;
    this.#cached = this.#check();
    return this.#cached;
  }

  async #check(): Promise<DatabaseState> {
    try {
      const [applied] = await this.#query(APPLIED, this.#expected);
      if (applied?.isEarlier) return { reason: 'earlier_version', needsRebuild: false };
      if (!applied?.isCurrent) return { reason: 'migrations_pending', needsRebuild: false };
      return { needsRebuild: applied.needsRebuild };
    } catch (error) {
      const reason = reasonOf(error);
      return {
        reason: reason === 'migrations_pending' ? await this.#whyTablesAreMissing() : reason,
        needsRebuild: false,
        failure: error,
      };
    }
  }

  async #whyTablesAreMissing(): Promise<NonNullable<DatabaseState['reason']>> {
    const [found] = await this.#query(WITHOUT_TABLES, []).catch(() => []);
    if (found?.isUtf8 === false) return 'not_utf8';
    return found?.isEarlier ? 'earlier_version' : 'migrations_pending';
  }

  #query<Row>(statement: Statement<Row>, values: readonly unknown[]): Promise<Row[]> {
    return withTimeLimit(this.limits.healthCheckMs, undefined, (signal) =>
      this.database.signIn.query(statement, values, signal),
    );
  }
}

function reasonOf(error: unknown): NonNullable<DatabaseState['reason']> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = REASONS.get((cause as { code?: unknown }).code);
    if (reason) return reason;
  }
  return 'database_unreachable';
}
