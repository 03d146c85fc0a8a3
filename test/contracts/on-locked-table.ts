import { Client } from 'pg';
import type { HungPart } from '../../packages/testing/src/hung-part.js';
import type { TestDatabase } from '../setup/test-database.js';

/** A part of which every statement waits for a table. */
export async function onLockedTable<Part>(
  database: TestDatabase,
  table: string,
  part: Part,
): Promise<HungPart<Part>> {
  const holder = new Client({ connectionString: database.url });
  await holder.connect();
  await holder.query(`BEGIN; LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  return {
    part,
    openCalls: async () => {
      const waiting = await database.query(
        `SELECT FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND pid <> pg_backend_pid()`,
      );
      return waiting.length;
    },
    stop: () => holder.end(),
  };
}
