import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * The variable in which the run's cluster publishes its addresses, because only the environment
 * reaches every worker.
 */
export const ADMIN_URL = 'DEAL_SETS_TEST_ADMIN_URL';

/** The template that is migrated once; every test database is a copy of it. */
export const TEMPLATE_DATABASE = 'template_deal_sets';

/** Creates a folder under the system's temporary folder that any account may enter. */
export function temporaryDirectory(purpose: string): string {
  return mkdtempSync(path.join(tmpdir(), `deal-sets-${purpose}-`));
}
