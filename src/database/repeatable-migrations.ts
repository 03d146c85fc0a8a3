import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { EntityManager } from 'typeorm';

/**
 * The package's directory of SQL code: two levels above this file, both in the sources and in the
 * build.
 */
const DIRECTORY = new URL('../../sql/', import.meta.url);

/**
 * The files that compute stored rows, in the order in which they are applied: a file may use
 * objects of the files before it.
 */
const RULES = ['name-keys.sql', 'listings.sql', 'question-tokens.sql', 'read-model.sql'];
const FILES = [...RULES, 'feed.sql'];

/** Tables in the order in which writers lock them. */
const TABLES = [
  'dealership',
  'deal_set',
  'price_check',
  'question',
  'draft',
  'reply',
  'request_feed',
];

/** The part of an `EntityManager` that runs statements. */
export type Queries = Pick<EntityManager, 'query'>;

/** A trigger of `sql/`. */
interface Trigger {
  /** The name as written in the statement, with quotes if it needs them. */
  readonly name: string;
  /** The trigger's table, in the schema `public`. */
  readonly table: string;
  /** The statement that creates or replaces the trigger. */
  readonly sql: string;
  /** SHA-256 of `sql`, which the database keeps as the comment of the trigger. */
  readonly hash: string;
}

/** The functions, triggers and grants of this version, read from `sql/`. */
export interface RepeatableMigrations {
  /** The version of the code (`sql/version`). A database keeps the code of the highest version. */
  readonly number: number;
  /**
   * SHA-256 of all statements. Comments inside function bodies are included; comments between
   * statements are not.
   */
  readonly hash: string;
  /**
   * SHA-256 of the statements that compute stored rows. When it changes, the rows need a rebuild.
   */
  readonly rulesHash: string;
  readonly statements: readonly string[];
  readonly triggers: readonly Trigger[];
  readonly roles: string;
}

/**
 * Reads the package's repeatable migrations.
 *
 * @throws {Error} when a statement does not end with a semicolon.
 */
export function readRepeatableMigrations(): RepeatableMigrations {
  const read = (file: string): string => readFileSync(new URL(file, DIRECTORY), 'utf8');
  const statements = FILES.flatMap((file) => statementsOf(read(file)));
  return {
    number: Number(read('version')),
    hash: hashOf(statements),
    rulesHash: hashOf(RULES.flatMap((file) => statementsOf(read(file)))),
    statements: statements.filter((sql) => !TRIGGER.test(sql)),
    triggers: statements
      .flatMap((sql) => {
        const [, name, table] = TRIGGER.exec(sql) ?? [];
        return name && table ? { name, table, sql, hash: hashOf([sql]) } : [];
      })
      .sort((a, b) => TABLES.indexOf(a.table) - TABLES.indexOf(b.table)),
    roles: read('roles.sql'),
  };
}

/**
 * Splits SQL into statements. A statement ends with a semicolon at the end of a line outside a `$$`
 * body.
 */
function statementsOf(sql: string): string[] {
  const statements: string[] = [];
  let lines: string[] = [];
  let isInBody = false;
  for (const line of sql.split('\n')) {
    if (!isInBody && /^\s*(--.*)?$/.test(line)) continue;
    lines.push(line);
    if ((line.split('$$').length - 1) % 2 === 1) isInBody = !isInBody;
    if (isInBody || !line.endsWith(';')) continue;
    statements.push(lines.join('\n'));
    lines = [];
  }
  if (lines.length > 0)
    throw new Error(`a statement in sql/ does not end with a semicolon: ${lines[0] ?? ''}`);
  return statements;
}

const TRIGGER = /^CREATE (?:OR REPLACE |CONSTRAINT )TRIGGER ("?\w+"?) [^(]*? ON public\.(\w+)/;

function hashOf(texts: readonly string[]): string {
  return createHash('sha256').update(texts.join('\n')).digest('hex');
}

/**
 * Replaces the functions and triggers of the database with those of `code`, in the open
 * transaction.
 *
 * Functions and triggers are replaced under locks that do not block readers. There are two
 * exceptions: a changed constraint trigger, which PostgreSQL cannot replace, and an obsolete
 * trigger. Dropping them locks their tables briefly.
 */
export async function applyRepeatableMigrations(
  manager: Queries,
  code: RepeatableMigrations,
): Promise<void> {
  await manager.query('CREATE SCHEMA IF NOT EXISTS deal_sets');
  for (const statement of code.statements) await manager.query(statement);
  for (const trigger of code.triggers) await applyTrigger(manager, trigger);
  await dropObsoleteObjects(manager, code);
}

/**
 * Creates or replaces the trigger, unless the hash in its comment shows that its statement is
 * unchanged.
 */
async function applyTrigger(manager: Queries, { name, table, sql, hash }: Trigger): Promise<void> {
  const [found] = await manager.query<{ hash: string | null }[]>(
    `SELECT obj_description(t.oid, 'pg_trigger') AS hash FROM pg_trigger t
     WHERE t.tgrelid = 'public.${table}'::regclass AND t.tgname = $1`,
    [name.replaceAll('"', '')],
  );
  if (found?.hash === hash) return;
  if (found && sql.startsWith('CREATE CONSTRAINT')) {
    await manager.query(`DROP TRIGGER ${name} ON public.${table}`);
  }
  await manager.query(sql);
  // Replacing a trigger resets it to fire for local changes only, but replicated rows must be
  // stamped as well. On Citus this default must stay: a moving shard's rows already carry their
  // stamps, and the trigger would delay the move.
  const citus = await manager.query<object[]>(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  const always = citus.length > 0 ? '' : 'ALWAYS';
  await manager.query(`ALTER TABLE public.${table} ENABLE ${always} TRIGGER ${name}`);
  await manager.query(`COMMENT ON TRIGGER ${name} ON public.${table} IS '${hash}'`);
}

/**
 * Drops the triggers, views and functions that this version does not have. It drops without
 * CASCADE: an object that others depend on stops the migration with PostgreSQL's message. Views and
 * functions that this transaction created or replaced carry its id and are kept. Newer objects are
 * dropped first, because they may use older ones.
 */
async function dropObsoleteObjects(
  manager: Queries,
  { triggers }: RepeatableMigrations,
): Promise<void> {
  const rows = await manager.query<{ sql: string }[]>(
    `SELECT sql FROM (
       SELECT 1 AS place, t.oid, format('DROP TRIGGER %I ON %s', t.tgname, t.tgrelid::regclass) AS sql
       FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid
       WHERE p.pronamespace = 'deal_sets'::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0
         AND t.tgrelid::regclass::text || '.' || t.tgname <> ALL ($1)
       UNION ALL
       SELECT 2, c.oid, format('DROP VIEW %s', c.oid::regclass)
       FROM pg_class c JOIN pg_rewrite w ON w.ev_class = c.oid
       WHERE c.relnamespace = 'deal_sets'::regnamespace AND c.relkind = 'v' AND w.xmin <> pg_current_xact_id()::xid
       UNION ALL
       SELECT 3, p.oid, format('DROP FUNCTION %s', p.oid::regprocedure)
       FROM pg_proc p WHERE p.pronamespace = 'deal_sets'::regnamespace AND p.xmin <> pg_current_xact_id()::xid
     ) gone ORDER BY place, oid DESC`,
    [triggers.map(({ name, table }) => `${table}.${name.replaceAll('"', '')}`)],
  );
  for (const { sql } of rows) await manager.query(sql);
}
