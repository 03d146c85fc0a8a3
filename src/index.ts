/**
 * The public API of the package, for host applications. `docs/extending.md` is its guide; the
 * section "Replace a port" shows how to replace a port such as `SessionStore` with a provider in
 * the option `providers` of `DealSetsModule` (`HostProviders`). Code that no entry point exports is
 * private and may change in any release. The other entry points are `standalone.ts`, `mcp.ts`,
 * `entities.ts` and `operations.ts`.
 */

// The module and its settings.
export { DealSetsModule } from './deal-sets/deal-sets.module.js';
export type {
  DealSetsModuleAsyncOptions,
  DealSetsModuleOptions,
  DealSetsOptionsFactory,
  DealSetsValues,
  HostProviders,
} from './deal-sets/extension/deal-sets-options.module.js';
export { loadSettings, Settings } from './config/settings.js';
export type { SETTINGS } from './config/settings-table.js';
export type {
  AuthorizationEndpoints,
  LoadOptions,
  RolloutSetting,
  SettingsOptions,
} from './config/settings.js';

// Ports: abstract classes that a host application may replace, for example with `providers: [{
// provide: SessionStore, useClass: … }]`. Each is exported with the types of its methods and with
// a default that a replacement may wrap.
export { SessionStore, type StoredSession } from './auth/session/session-store.js';
export { PostgresSessionStore } from './auth/session/postgres-session-store.js';
export { GrantStore, type StoredGrant } from './auth/bearer/grant-store.js';
export { PostgresGrantStore } from './auth/bearer/postgres-grant-store.js';
export { AssistantAuthenticator } from './auth/bearer/assistant-authenticator.js';
export type { SignInRequest } from './auth/sign-in-request.js';
export { JwtAuthenticator } from './auth/bearer/jwt-authenticator.js';
export { bearerToken } from './auth/bearer/bearer-header.js';
export type { DistinctHeaders } from './http/context/distinct-headers.js';
export { ApprovedAssistants } from './auth/bearer/approved-assistants.js';
export type { AssistantCredential } from './auth/bearer/access-token.js';
export { Rollout } from './rollout/rollout.js';
export { SettingsRollout } from './rollout/settings-rollout.js';
export { RateLimitStorage, type ThrottlerRecord } from './rate-limit/rate-limit-storage.js';
export type { RateClassOptions } from './rate-limit/throttlers.js';
export {
  RedisStorage,
  type RedisClient,
  type RedisConnection,
} from './rate-limit/redis-storage.js';
export { DisplayTexts, EnglishDisplayTexts } from './deal-sets/extension/display-texts.js';
export { EnglishTexts } from './deal-sets/domain/english-texts.js';
export type {
  CarName,
  CarText,
  QuestionText,
  RequestedName,
  RowCounts,
  RowStatus,
  Texts,
} from './deal-sets/domain/texts.js';
export type { SummaryFacts } from './deal-sets/domain/facts.js';
export type { Section } from './deal-sets/domain/row-state.js';
export type { Ending, RowState } from './kernel/price-check-values.js';
export type { McpCallFacts } from './observability/mcp-call.js';
export {
  RequestObserver,
  type ObservedError,
  type ObservedRequest,
} from './observability/request-observer.js';
export { MetricsRegistry, type MetricsSource } from './observability/metrics.js';

// Endpoints of a host application: `@Endpoint`, its parameter decorators, its errors and the
// principals.
export { Endpoint } from './endpoint/endpoint.decorator.js';
export type { HandlerDecorator } from './http/handler-decorator.js';
export { isDealSetsEndpoint } from './endpoint/endpoint-policy.js';
export type {
  DocumentedHeader,
  EndpointDocumentation,
  EndpointPolicy,
} from './endpoint/endpoint-policy.js';
export type { EndpointError } from './endpoint/endpoint-error.js';
export type { Policy } from './http/policy.js';
export {
  CurrentPrincipal,
  RequestDeadline,
  RequestSignal,
  requestSignal,
} from './http/context/request-parameters.js';
export { principalOf, type HttpCall } from './http/context/request-context.js';
export type { Deadline } from './kernel/deadline.js';
export { AppError } from './kernel/app-error.js';
export type { AppErrorOptions, CredentialRejectionReason } from './kernel/app-error.js';
export type { ErrorCode, ErrorReason } from './kernel/error-catalogue.js';
export type {
  AssistantPrincipal,
  ByPrincipalType,
  Principal,
  PrincipalType,
  SessionPrincipal,
} from './kernel/principal.js';

// Sign-in, which a test of a host application replaces with `overrideProvider`, and sign-in for
// handlers without `@Endpoint`.
export { SignIn } from './auth/sign-in.js';
export { RequireScope, type RequireScopeOptions } from './auth/require-scope.decorator.js';

// The OpenAPI document of a host application.
export { completeOpenApiDocument } from './openapi/complete-document.js';

// Redaction for handlers without `@Endpoint`.
export { Redacted } from './redaction/redacted.decorator.js';

// Response DTOs: the decorators that declare the visibility of a field for each principal type.
export { ResponseDto, Shown, Withheld } from './redaction/field.decorators.js';
export type {
  FieldDecorator,
  FieldElement,
  FieldMismatch,
  FieldValue,
} from './redaction/field-decorator.types.js';
export type { FieldPath, FieldType, JsonSchema, ScalarType } from './redaction/field.js';

// Custom fields and redaction rules, which change the responses of the two reads.
export { customField } from './deal-sets/extension/custom-fields.js';
export type {
  CustomField,
  CustomFieldRequest,
  CustomFields,
} from './deal-sets/extension/custom-fields.js';
export type { ListingFact, RedactionRule } from './deal-sets/extension/redaction-rules.js';

// The two reads for other protocols, and the types of their responses.
export { DEAL_SETS_ROUTES } from './deal-sets/deal-sets.endpoints.js';
export { DealSetsApi } from './deal-sets/deal-sets.api.js';
export type { CallerTime, DealSetsCall, ListInput, ListResult } from './deal-sets/deal-sets.api.js';
export type { DealSetResponse, ListResponse } from './deal-sets/dto/responses.js';
export type * from './deal-sets/dto/deal-set-result.js';
export type * from './deal-sets/dto/list-entry.js';
export type { Hero, Row } from './deal-sets/dto/row.js';
export type { DistanceBand } from './deal-sets/domain/disclosure.js';

// The connection names for `@InjectRepository`, for repositories of a host application, and the
// health check.
export { ASSISTANT_READS, SESSION_READS } from './database/read-data-source.js';
export { DatabaseHealth, type DatabaseState } from './database/database-health.js';
