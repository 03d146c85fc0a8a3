import { Injectable } from '@nestjs/common';
import { withTimeLimit } from '../kernel/time-limit.js';
import { MIGRATION_TABLE } from './data-source.js';
import { ReadDatabase, type Statement } from './read-database.js';
import { migrationNames } from './sql-migrations.js';

export interface DatabaseState {
  /** The primary responds. */
  readonly reachable: boolean;
  /** Every migration this version knows is applied; further ones of a newer version do not matter. */
  readonly migrated: boolean;
  /** Some rows of the read model are still to be computed by `deal-sets rebuild`. */
  readonly needsRebuild: boolean;
}

/** Probes may come from many sides; the database is asked at most once in this time. */
const KEPT_MS = 1_000;
const LIMIT_MS = 1_000;
/** PostgreSQL's word for "no such table", "no privilege", "no such role": what migrations make is missing. */
const NOT_MIGRATED = new Set(['42P01', '42501', '22023']);

const APPLIED: Statement = {
  name: 'applied_migrations',
  text: `SELECT name FROM ${MIGRATION_TABLE}`,
};
const NEEDS_REBUILD: Statement = {
  name: 'needs_rebuild',
  text: `SELECT EXISTS (SELECT FROM request_feed WHERE requested_at IS NULL) AS "needsRebuild"`,
};

/** Whether the database can serve requests. */
@Injectable()
export class DatabaseHealth {
  readonly #expected = migrationNames();
  #kept: Promise<DatabaseState> | undefined;
  #keptUntil = 0;
  #isRebuilt = false;

  constructor(private readonly database: ReadDatabase) {}

  /** Never rejects; at most a second old. */
  check(): Promise<DatabaseState> {
    const now = performance.now();
    if (!this.#kept || now >= this.#keptUntil) {
      this.#kept = this.#ask();
      this.#keptUntil = now + KEPT_MS;
    }
    return this.#kept;
  }

  async #ask(): Promise<DatabaseState> {
    try {
      return await withTimeLimit(LIMIT_MS, undefined, async (signal) => {
        const rows = await this.database.signIn.query<{ name: string }>(APPLIED, [], signal);
        const applied = new Set(rows.map(({ name }) => name));
        const migrated = this.#expected.every((name) => applied.has(name));
        const needsRebuild = migrated && (await this.#needsRebuild(signal));
        return { reachable: true, migrated, needsRebuild };
      });
    } catch (error) {
      return { reachable: isMissingMigrations(error), migrated: false, needsRebuild: false };
    }
  }

  /** Queried until the result is no: from then on the writers' triggers keep every row computed. */
  async #needsRebuild(signal: AbortSignal): Promise<boolean> {
    if (this.#isRebuilt) return false;
    const [row] = await this.database.signIn.query<{ needsRebuild: boolean }>(
      NEEDS_REBUILD,
      [],
      signal,
    );
    this.#isRebuilt = row?.needsRebuild === false;
    return !this.#isRebuilt;
  }
}

function isMissingMigrations(error: unknown): boolean {
  for (let reason = error; reason instanceof Error; reason = reason.cause) {
    const { code } = reason as { code?: unknown };
    if (typeof code === 'string' && NOT_MIGRATED.has(code)) return true;
  }
  return false;
}
