/**
 * What operates the service, for tools and tests: the work of its commands, and the service itself without a process
 * of its own. `docs/operations.md` and `docs/import-format.md` describe the work.
 */
import 'reflect-metadata';

export { DevelopmentIssuer } from './auth/development-issuer.js';
export { failureText } from './commands/failure-text.js';
export { writerDataSource } from './database/data-source.js';
export { migrate } from './database/migrate.js';
export { rebuild } from './database/rebuild.js';
export {
  restamp,
  type RestampOptions,
  type RestampProgress,
  type RestampSummary,
} from './database/restamp.js';
export { assertOwnFieldValue } from './deal-sets/own-fields.js';
export { importFile, type ImportOptions, type ImportSummary } from './import/import-file.js';
export type { ImportRecord, RecordTypes } from './import/record-kinds.js';
export { Log } from './observability/logger.js';
export { openService } from './start-service.js';
