import type { DataSource } from 'typeorm';

/** The path of a source file, or the name of a database function, that contains a text. */
export type Where = `src/${string}` | `packages/${string}` | `function ${string}`;

/**
 * One replacement of a planted fault: of a text that occurs exactly once in a file or a function
 * (as `pg_get_functiondef` returns it after all migrations), or a statement that runs after the
 * migrations.
 */
export type Replacement =
  | { readonly where: Where; readonly from: string; readonly to: string }
  | { readonly where: 'database'; readonly to: string };

/**
 * The environment variable with the replacements of a run as JSON, because the environment reaches
 * every worker.
 */
export const PLANTED_FAULT = 'PLANTED_FAULT';

/**
 * The beginning of the message of a fault whose text is not found exactly once.
 * `fault-transform.cjs` repeats it.
 */
export const NO_LONGER_APPLIES = 'fault no longer applies';

export function replaceOnce(text: string, where: string, from: string, to: string): string {
  const parts = text.split(from);
  if (parts.length !== 2)
    throw new Error(
      `${NO_LONGER_APPLIES}: ${where} holds this text ${parts.length - 1} times: ${from}`,
    );
  return parts.join(to);
}

/** Applies the run's database replacements, if there are any, to a migrated database. */
export async function plantInDatabase(database: DataSource): Promise<void> {
  const replacements = JSON.parse(process.env[PLANTED_FAULT] ?? '[]') as readonly Replacement[];
  for (const replacement of replacements) {
    if (replacement.where === 'database') {
      await database.query(replacement.to);
    } else if (replacement.where.startsWith('function ')) {
      const { where, from, to } = replacement;
      const found = await database.query<{ definition: string }[]>(
        `SELECT pg_get_functiondef(p.oid) AS definition FROM pg_proc p
         WHERE p.proname = $1 AND p.pronamespace = 'deal_sets'::regnamespace`,
        [where.slice('function '.length)],
      );
      const text = found.map(({ definition }) => definition).join('\n');
      await database.query(replaceOnce(text, where, from, to));
    }
  }
}
