/**
 * Programmatic entry points for tools and tests: the functions of the commands.
 * `docs/operations/run.md` and `docs/import-format.md` describe them.
 */
import 'reflect-metadata';

// The commands that change the database or its schema.
export { writerDataSource, type WriterOptions } from './database/data-source.js';
export { migrate, type MigrateSummary } from './operations/migrate.js';
export { EarlierVersionError, NotUtf8Error } from './database/unusable-database.js';
export {
  rebuild,
  type RebuildOptions,
  type RebuildProgress,
  type RebuildSummary,
} from './operations/rebuild.js';
export {
  approvalsOf,
  approve,
  isLiveApproval,
  revokeApproval,
  type Approval,
} from './operations/approvals.js';
export { pruneSessions } from './operations/sessions.js';
export { failureText } from './operations/commands/failure-text.js';

// The import, and the types of its records.
export {
  importFile,
  type ImportOptions,
  type ImportProgress,
  type ImportSummary,
} from './operations/import/import-file.js';
export type { ItemsWithoutText } from './operations/import/summary/items-without-text.js';
export type { KindSummary } from './operations/import/merge/merge.js';
export { ImportRejectedError } from './operations/import/records/problems.js';
export {
  RECORDS,
  type FileKind,
  type ImportRecord,
  type RecordKind,
  type RecordTypes,
} from './operations/import/records/records.js';

// The issuer of development tokens.
export { DevelopmentIssuer, type DevelopmentToken } from './auth/issuer/development-issuer.js';
export type { TokenFormat } from './config/settings-table.js';
export type { SigningAlgorithm, TokenIssuer } from './auth/issuer/token-issuer.js';

// For tests of a custom field.
export { assertCustomFieldValue } from './deal-sets/extension/custom-fields.js';
