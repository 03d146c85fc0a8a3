/**
 * What a team builds on. Everything else is private and may change in any release; CHANGELOG.md lists
 * changes to this surface under "Extension API".
 */
export { AccessTokenVerifier, type AccessToken } from './auth/access-token-verifier.js';
export { Access, Public, type AccessTerms } from './auth/access.decorator.js';
export { GrantStore, type StoredGrant } from './auth/grant-store.js';
export { SessionStore, type StoredSession } from './auth/session-store.js';
export { loadSettings } from './config/load-settings.js';
export { Settings } from './config/settings.js';
export { ReadDatabase, type ReadNode, type Statement } from './database/read-database.js';
export type * from './deal-sets/domain/facts.js';
export { DealSetReader } from './deal-sets/reader/deal-set-reader.js';
export type * from './deal-sets/reader/deal-set-reader.js';
export { Answers } from './deal-sets/redaction/answers.decorator.js';
export { RedactionRule } from './deal-sets/redaction/redaction-rule.js';
export type { DealSetsExtensions } from './extensions.js';
export { createApp } from './create-app.js';
export { AppError, type ErrorCode } from './kernel/app-error.js';
export { Deadline } from './kernel/deadline.js';
export type { Endpoint } from './kernel/endpoint.js';
export {
  READ_SCOPE,
  type AssistantPrincipal,
  type Principal,
  type SessionPrincipal,
} from './kernel/principal.js';
export type { Seam } from './kernel/seam.js';
export { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
export { OpenFeatureRollout } from './rollout/open-feature-rollout.js';
export { Rollout } from './rollout/rollout.js';
export { startService, type RunningService, type ServiceOptions } from './start-service.js';
