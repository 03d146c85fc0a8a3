/**
 * The public API of the package: what a host application builds on. Everything else is private and
 * may change in any release. The other entry points are `entities.ts` and `operations.ts`.
 */

// The module, and the service without a host.
export { DealSetsModule } from './deal-sets/deal-sets.module.js';
export type {
  DealSetsModuleAsyncOptions,
  DealSetsModuleOptions,
  HostProviders,
} from './deal-sets/deal-sets.module.js';
export type {
  DealSetsValues,
  DealSetsValuesFactory,
} from './deal-sets/deal-sets-options.module.js';
export { startService, type RunningService, type ServiceOptions } from './start-service.js';
export { loadSettings, Settings } from './config/settings.js';
export type {
  AuthorizationEndpoints,
  DatabaseOptions,
  IssuerOptions,
  LogLevel,
  ReadRate,
  RolloutSetting,
} from './config/settings.js';

// Ports, with the defaults that a host application may wrap.
export { SessionStore, type StoredSession } from './auth/session-store.js';
export { PostgresSessionStore } from './auth/postgres-session-store.js';
export { GrantStore, type StoredGrant } from './auth/grant-store.js';
export { PostgresGrantStore } from './auth/postgres-grant-store.js';
export { ApprovedAssistants } from './auth/approved-assistants.js';
export { AssistantAuthenticator } from './auth/assistant-authenticator.js';
export { JwtBearerGuard } from './auth/jwt-bearer.guard.js';
export { Rollout } from './rollout/rollout.js';
export { SettingsRollout } from './rollout/settings-rollout.js';
export { OpenFeatureRollout } from './rollout/open-feature-rollout.js';
export { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
export {
  EnglishDisplayTexts,
  DisplayTexts,
  type CarText,
} from './deal-sets/domain/display-texts.js';
export { RequestObserver, type ObservedRequest } from './observability/request-observer.js';
export { MetricsRegistry } from './observability/metrics.js';

// Endpoints of a host application, and the guards, interceptor and filter that `@Endpoint` binds.
export { Endpoint } from './endpoint/endpoint.decorator.js';
export { isDealSetsEndpoint, Public, type EndpointPolicy } from './endpoint/endpoint-policy.js';
export type { EndpointError } from './http/endpoint-error.js';
export { CredentialGuard } from './auth/credential.guard.js';
export { ScopeGuard } from './auth/scope.guard.js';
export { RateLimitGuard } from './rate-limit/rate-limit.guard.js';
export { RedactionInterceptor } from './redaction/redaction.interceptor.js';
export { ContractFilter } from './http/contract.filter.js';
export { CurrentPrincipal, RequestSignal, requestSignal } from './http/request-parameters.js';
export { AppError, type ErrorCode } from './kernel/app-error.js';
export { READ_SCOPE, type AssistantPrincipal, type Principal } from './kernel/principal.js';
export { fieldsOf, reachableDtos, type Visibility } from './redaction/field.js';
export {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from './redaction/field.decorators.js';
export { customField } from './deal-sets/custom-fields.js';
export type { CustomField, CustomFieldRequest, CustomFields } from './deal-sets/custom-fields.js';
export type { RedactionRule } from './deal-sets/redaction-rule.js';

// The reads for other protocols.
export { DealSetsApi } from './deal-sets/deal-sets.api.js';
export { DealSetResponse, ListResponse } from './deal-sets/dto/responses.js';

// The database, for modules of a host application.
export { ASSISTANT_READS, SESSION_READS } from './database/read-data-source.js';
export { ReadDatabase } from './database/read-database.js';
