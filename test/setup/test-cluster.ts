import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * Where the run's cluster publishes its addresses to the test files: the only channel that reaches
 * every worker.
 */
export const ADMIN_URL = 'DEAL_SETS_TEST_ADMIN_URL';

/** Migrated once; every test database is a copy of it. */
export const TEMPLATE_DATABASE = 'template_deal_sets';

/** A folder of its own under the system's temporary folder, which any account may enter. */
export function temporaryDirectory(purpose: string): string {
  return mkdtempSync(path.join(tmpdir(), `deal-sets-${purpose}-`));
}
