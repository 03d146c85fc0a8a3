import type { DataSource } from 'typeorm';

/** One replacement of a planted fault. */
export type Replacement =
  | {
      /** The path of a source file, or the function or view of the database that holds the text. */
      readonly where:
        `src/${string}` | `node_modules/${string}` | `function ${string}` | `view ${string}`;
      /** Exactly once in it. */
      readonly from: string;
      readonly to: string;
    }
  | {
      /** `to` is a statement that runs after the migrations. */
      readonly where: 'database';
      readonly to: string;
    };

/** Holds the replacements of a run as JSON: the environment reaches every worker. */
export const PLANTED_FAULT = 'PLANTED_FAULT';

/** Begins the message of a fault whose text is not found exactly once. `fault-transform.cjs` has it too. */
export const NO_LONGER_APPLIES = 'fault no longer applies';

export function replaceOnce(text: string, where: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(
      `${NO_LONGER_APPLIES}: ${where} holds this text ${parts.length - 1} times: ${from}`,
    );
  return parts.join(to);
}

/** Applies the run's replacements of the database, if it has any, to a database that is migrated. */
export async function plantInDatabase(database: DataSource): Promise<void> {
  const replacements = JSON.parse(process.env[PLANTED_FAULT] ?? '[]') as readonly Replacement[];
  for (const replacement of replacements) {
    if (replacement.where === 'database') {
      await database.query(replacement.to);
    } else if (!/^(src|node_modules)\//.test(replacement.where)) {
      const { where, from, to } = replacement;
      await database.query(replaceOnce(await definitionOf(database, where), where, from, to));
    }
  }
}

/** The statement that makes a function or a view anew, as PostgreSQL writes it. */
async function definitionOf(database: DataSource, where: string): Promise<string> {
  const [kind, name] = where.split(' ');
  const found = await database.query<{ definition: string }[]>(
    kind === 'function'
      ? `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
         WHERE p.proname = $1 AND p.pronamespace = 'deal_sets'::regnamespace`
      : `SELECT format('CREATE OR REPLACE VIEW deal_sets.%I WITH (security_invoker = true) AS %s', c.relname, pg_get_viewdef(c.oid)) AS definition
         FROM pg_class c
         WHERE c.relname = $1 AND c.relkind = 'v' AND c.relnamespace = 'deal_sets'::regnamespace`,
    [name],
  );
  const [only] = found;
  if (!only || found.length > 1)
    throw new Error(`${NO_LONGER_APPLIES}: there are ${found.length} of ${where}`);
  return only.definition;
}
