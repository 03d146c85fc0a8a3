import type { Client } from 'pg';

interface TriggerRow {
  readonly table_name: string;
  readonly trigger_name: string;
  readonly state: keyof typeof STATES;
}

/** States other than enabled, as the catalogue and as the language have them. */
const STATES = { A: 'ENABLE ALWAYS', R: 'ENABLE REPLICA', D: 'DISABLE' } as const;

/** Runs `load` while the tables' triggers, foreign keys included, are off, and puts each back as it was. */
export async function withoutTriggers(
  client: Client,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows: special } = await client.query<TriggerRow>(
    `SELECT tgrelid::regclass::text AS table_name, tgname AS trigger_name, tgenabled AS state
     FROM pg_trigger
     WHERE tgrelid = ANY ($1::regclass[]) AND tgenabled <> 'O'`,
    [tables],
  );
  for (const table of tables) await client.query(`ALTER TABLE ${table} DISABLE TRIGGER ALL`);
  await load();
  for (const table of tables) await client.query(`ALTER TABLE ${table} ENABLE TRIGGER ALL`);
  for (const { table_name, trigger_name, state } of special)
    await client.query(`ALTER TABLE ${table_name} ${STATES[state]} TRIGGER ${trigger_name}`);
}

/** Runs `load` without the tables' secondary indexes, and builds them afterwards: once, and sorted. */
export async function withoutIndexes(
  client: Client,
  tables: readonly string[],
  load: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition
     FROM pg_index i WHERE indrelid = ANY ($1::regclass[])
       AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await client.query(`DROP INDEX ${name}`);
  await load();
  await client.query(`SET maintenance_work_mem = '512MB'`);
  for (const { definition } of rows) await client.query(definition);
}
