/**
 * What a team builds on. Everything else is private and may change in any release; CHANGELOG.md lists
 * changes to this surface under "Extension API".
 */
export {
  AccessTokenVerifier,
  type AccessToken,
} from './auth/access-token/access-token-verifier.js';
export { GrantStore, type StoredGrant } from './auth/access-token/grant-store.js';
export { SessionStore, type StoredSession } from './auth/session/session-store.js';
export { loadSettings } from './config/load-settings.js';
export { Settings } from './config/settings.js';
export { TYPEORM_CONNECTION } from './database/data-source.js';
export {
  migrateDirectory,
  MigrationDirectoryError,
  pendingInDirectory,
  revertInDirectory,
  type MigrationDirectory,
} from './database/migration-directory.js';
export {
  ReadDatabase,
  type Query,
  type ReadNode,
  type Statement,
} from './database/read-database.js';
export { API_REVISION } from './http/contract-headers.js';
export { MCP_PATH, mcpAudiences } from './config/mcp-address.js';
export { DealSetsApi, type DealSetsCall, type ListResult } from './deal-sets/deal-sets.api.js';
export { DealSetResponse, ListResponse } from './deal-sets/dto/responses.js';
export type * from './deal-sets/domain/facts.js';
export type { CarAnswer, Ending } from './kernel/price-check-values.js';
export type { ListingFact } from './deal-sets/redaction/listing-facts.js';
export type { RedactionRule } from './deal-sets/redaction/redaction-rule.js';
export type { FieldPath } from './response-shape/field-rule.js';
export { DealSetQueries } from './deal-sets/queries/deal-set-queries.js';
export type * from './deal-sets/queries/deal-set-queries.js';
export type { FeedSnapshot } from './deal-sets/domain/feed-position.js';
export type { DealSetsExtensions } from './extensions.js';
export { createApp } from './create-app.js';
export { CurrentPrincipal, RateLimitRefusal, RequestDeadline } from './http/handler-parameters.js';
export {
  Endpoint,
  Public,
  type DocumentedHeader,
  type EndpointDocumentation,
  type EndpointPolicy,
  type EndpointProtocol,
} from './http/endpoint.decorator.js';
export { envelopeOf, type Envelope } from './http/error-envelope.js';
export { METADATA_PATH } from './http/protected-resource.guard.js';
export type { ProtocolResponse } from './http/protocol-response.js';
export { IdPipe } from './http/id.pipe.js';
export { InputField } from './http/input-field.decorator.js';
export { AppError, type ErrorCode } from './kernel/app-error.js';
export { Deadline } from './kernel/deadline.js';
export {
  frozenPrincipal,
  matchPrincipal,
  READ_SCOPE,
  type AssistantPrincipal,
  type ByPrincipalType,
  type Principal,
  type PrincipalType,
  type SessionPrincipal,
} from './kernel/principal.js';
export { packUuids, unpackUuids, type PackedUuids } from './kernel/packed-uuids.js';
export { standardToken, type Override, type Undecorated } from './kernel/provider-override.js';
export type { RateClass } from './rate-limit/rate-classes.js';
export { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
export * from './response-shape/field.js';
export { OpenFeatureRollout } from './rollout/open-feature-rollout.js';
export { Rollout } from './rollout/rollout.js';
export { startService, type RunningService, type ServiceOptions } from './start-service.js';

// Additions of a team: see `DealSetsExtensions`.
export type { CarText, DisplayTexts } from './deal-sets/additions/display-texts.js';
export {
  ownField,
  type OwnField,
  type OwnFieldRequest,
  type OwnFields,
} from './deal-sets/additions/own-field.js';
export type { OrderedRow, RowOrder } from './deal-sets/additions/row-order.js';
export { DeclaredError, type OwnError } from './http/own-errors.js';
export { createRequestListener, type HostedService } from './create-request-listener.js';
export type { LogSink } from './observability/log-sink.js';
export type { OwnMetric } from './observability/metrics.js';
export { RequestObserver, type ObservedRequest } from './observability/request-observer.js';
