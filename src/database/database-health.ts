import { Injectable } from '@nestjs/common';
import { withTimeLimit } from '../kernel/time-limit.js';
import { MIGRATION_TABLE, migrationNames } from './data-source.js';
import type { Statement } from './cancellable-query-runner.js';
import { ReadDatabase } from './read-database.js';
import { readRepeatableMigrations } from './repeatable-migrations.js';

export interface DatabaseState {
  /**
   * Why requests cannot be served: the primary does not respond; a role or a grant is missing, after a restore say; a
   * migration or the code of this version is not applied. Those of a newer version do not matter.
   */
  readonly reason?: 'database_unreachable' | 'roles_missing' | 'migrations_pending';
  /** The rules changed by which rows were computed: `deal-sets rebuild` computes them anew. */
  readonly needsRebuild: boolean;
}

/** Probes may come from many sides; the database is asked at most once in this time. */
const KEPT_MS = 1_000;
const LIMIT_MS = 1_000;
/** PostgreSQL's words for "no such role", "no privilege"; and for "no such table". */
const REASONS: ReadonlyMap<unknown, NonNullable<DatabaseState['reason']>> = new Map([
  ['22023', 'roles_missing'],
  ['42501', 'roles_missing'],
  ['42P01', 'migrations_pending'],
]);

const APPLIED: Statement<DatabaseState> = {
  name: 'applied_migrations',
  text: `SELECT c.rules_hash <> c.rebuilt_hash AS "needsRebuild" FROM public.schema_code c
  WHERE c.number >= $1 AND $2::text[] <@ ARRAY(SELECT name::text FROM public.${MIGRATION_TABLE})`,
};

@Injectable()
export class DatabaseHealth {
  readonly #expected = [readRepeatableMigrations().number, migrationNames()];
  #kept: Promise<DatabaseState> | undefined;
  #keptUntil = 0;

  constructor(private readonly database: ReadDatabase) {}

  /** Never rejects; at most a second old. */
  check(): Promise<DatabaseState> {
    const now = performance.now();
    if (this.#kept && now < this.#keptUntil) return this.#kept;
    this.#keptUntil = now + KEPT_MS;
    this.#kept = this.#ask();
    return this.#kept;
  }

  async #ask(): Promise<DatabaseState> {
    try {
      const [row] = await withTimeLimit(LIMIT_MS, undefined, (signal) =>
        this.database.signIn.query(APPLIED, this.#expected, signal),
      );
      return row ?? { reason: 'migrations_pending', needsRebuild: false };
    } catch (error) {
      return { reason: reasonOf(error), needsRebuild: false };
    }
  }
}

function reasonOf(error: unknown): NonNullable<DatabaseState['reason']> {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = REASONS.get((cause as { code?: unknown }).code);
    if (reason) return reason;
  }
  return 'database_unreachable';
}
