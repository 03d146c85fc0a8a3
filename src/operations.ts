/**
 * Programmatic entry points for operations, for tools and tests: the functions of the commands, and
 * an in-process service. `docs/operations.md` and `docs/import-format.md` describe them.
 */
import 'reflect-metadata';

export { DevelopmentIssuer } from './auth/development-issuer.js';
export { failureText } from './operations/commands/failure-text.js';
export { approvalsOf, approve, revokeApproval, type Approval } from './operations/approvals.js';
export { writerDataSource } from './database/data-source.js';
export { migrate } from './operations/schema/migrate.js';
export { rebuild } from './operations/schema/rebuild.js';
export {
  restamp,
  type RestampOptions,
  type RestampProgress,
  type RestampSummary,
} from './operations/schema/restamp.js';
export { assertCustomFieldValue } from './deal-sets/custom-fields.js';
export {
  importFile,
  type ImportOptions,
  type ImportSummary,
} from './operations/import/import-file.js';
export { ImportRejectedError } from './operations/import/problems.js';
export type { ImportRecord, RecordTypes } from './operations/import/record-kinds.js';
export { Log } from './observability/logger.js';
export { openService } from './start-service.js';
