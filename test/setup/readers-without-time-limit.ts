import type { TestDatabase } from './test-database.js';

/**
 * Creates logins for the reads that have no `statement_timeout`, so that nothing but a cancel
 * request ends a statement of the service.
 *
 * @returns the settings of a service that uses these logins.
 */
export async function readersWithoutTimeLimit(
  database: TestDatabase,
): Promise<Record<'DATABASE_READER_URL' | 'DATABASE_ASSISTANT_URL', string>> {
  const addressOf = async (kind: 'reader' | 'assistant'): Promise<string> => {
    const username = `unlimited_${kind}_of_${database.name}`;
    await database.query(`CREATE ROLE ${username} LOGIN PASSWORD 'word' IN ROLE deal_sets_${kind}`);
    return Object.assign(new URL(database.url), { username, password: 'word' }).href;
  };
  return {
    DATABASE_READER_URL: await addressOf('reader'),
    DATABASE_ASSISTANT_URL: await addressOf('assistant'),
  };
}
