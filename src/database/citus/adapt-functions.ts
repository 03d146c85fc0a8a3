import type { SqlConnection } from './sql-connection.js';

/** A function of the schema as the catalog describes it. */
export interface SchemaFunction {
  /** With its argument types, as `ALTER FUNCTION` takes it. */
  readonly signature: string;
  readonly name: string;
  readonly isTrigger: boolean;
  readonly language: string;
  /** Has a search path of its own. */
  readonly hasPath: boolean;
  /** The statement that creates it. */
  readonly definition: string;
}

/** They read and write no table: their rows alone are enough. */
const WITHOUT_TABLES = new Set([
  'feed_never_back',
  'feed_refuses_truncate',
  'set_car_names_dealership',
  'set_masked_body',
  'set_masked_text',
]);

const ADAPTED = /public\.(?:use_shard_views|local_shard_views|shard_views_in_use)\(/;
const USE_VIEWS = 'PERFORM public.use_shard_views(TG_TABLE_NAME);';
const OUTSIDE_OF_TRIGGERS = 'IF public.shard_views_in_use() IS NULL THEN RETURN; END IF;';

/**
 * The statement that makes a function of the migrations run on the shards of a worker; undefined when it runs
 * there as it is. Bodies stay as they are, but for these points:
 *
 * - A trigger function begins with looking up the shards that go with its own. The table is its argument, because a
 *   shard has a name of its own.
 * - Functions that triggers call look names up as their caller does.
 * - A changed dealership is on every node: each node looks through the shards that it stores.
 * - What the coordinator asks for at the end of a load happens on the workers when they commit.
 *
 * @throws when a function has another form than these changes need.
 */
export function adaptedFunction(subject: SchemaFunction): string | undefined {
  const { name, isTrigger, hasPath, signature, definition } = subject;
  if (name.includes('shard_views') || ADAPTED.test(definition)) return undefined;
  if (name === 'dealership_changed') return perShards(subject);
  if (isTrigger) {
    if (WITHOUT_TABLES.has(name)) return undefined;
    return beginWith(subject, USE_VIEWS, definition.replaceAll('TG_TABLE_NAME', 'TG_ARGV[0]'));
  }
  if (name === 'feed_stamp_all') {
    return withoutPath(beginWith(subject, OUTSIDE_OF_TRIGGERS, definition));
  }
  return hasPath && !OWN.has(name) ? `ALTER FUNCTION ${signature} RESET search_path` : undefined;
}

/** Those of `migrations/citus/functions.sql`, which are written for their place. */
const OWN = new Set([
  'feed_enter_history',
  'feed_is_history',
  'feed_lock_all',
  'feed_lock_buyer',
  'feed_lock_key',
  'feed_transaction',
]);

const PATH = /\n SET search_path TO [^\n]*/;
const BEGIN = /\nBEGIN\n/;

function beginWith({ name }: SchemaFunction, statement: string, definition: string): string {
  if (definition.split(BEGIN).length !== 2) {
    throw new Error(`The body of ${name}() has no single BEGIN at the beginning of a line`);
  }
  return definition.replace(BEGIN, `\nBEGIN\n  ${statement}\n`);
}

function withoutPath(definition: string): string {
  return definition.replace(PATH, '');
}

/** A change of a dealership is a change of requests in every set of shards. */
function perShards(subject: SchemaFunction): string {
  const end = subject.definition.lastIndexOf('\nEND');
  const looped = subject.definition.slice(0, end).replaceAll('RETURN NULL;', 'CONTINUE;');
  return beginWith(
    subject,
    'FOREACH shard_views IN ARRAY ARRAY(SELECT public.local_shard_views()) LOOP\n' +
      "  PERFORM set_config('search_path', shard_views || ', public, pg_temp', true);",
    `${looped}\n  END LOOP;\n  RETURN NULL;${subject.definition.slice(end)}`.replace(
      /\nDECLARE\n/,
      '\nDECLARE\n  shard_views text;\n',
    ),
  );
}

/** The functions of the service in this database. */
export async function schemaFunctions(client: SqlConnection): Promise<SchemaFunction[]> {
  const { rows } = await client.query<SchemaFunction>(
    `SELECT p.oid::regprocedure::text AS signature, p.proname AS name, l.lanname AS language, p.prorettype = 'trigger'::regtype AS "isTrigger",
       coalesce(array_to_string(p.proconfig, ',') LIKE '%search_path=%', false) AS "hasPath",
       pg_get_functiondef(p.oid) AS definition
     FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
     WHERE p.pronamespace = 'public'::regnamespace AND p.prokind = 'f'
       AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
     ORDER BY 1`,
  );
  return rows;
}

/**
 * The functions in an order in which each comes after those that its body calls, as far as PostgreSQL checks a body
 * when it creates a function: for language SQL, not for PL/pgSQL.
 */
export function inOrderOfUse(functions: readonly SchemaFunction[]): SchemaFunction[] {
  const ordered = functions.filter(({ language }) => language !== 'sql');
  const waiting = new Set(functions.filter(({ language }) => language === 'sql'));
  const calls = (caller: SchemaFunction, name: string): boolean =>
    new RegExp(`\\b${name}\\(`).test(caller.definition.slice(caller.definition.indexOf('AS $')));
  while (waiting.size > 0) {
    const ready = [...waiting].filter((candidate) =>
      [...waiting].every(({ name }) => name === candidate.name || !calls(candidate, name)),
    );
    if (ready.length === 0)
      throw new Error('Functions of language SQL call each other in a circle');
    for (const next of ready) {
      ordered.push(next);
      waiting.delete(next);
    }
  }
  return ordered;
}
