/** What a team builds on. Everything else is private and may change in any release. */
export { DealSetsModule } from './deal-sets/deal-sets.module.js';
export { startService, type RunningService, type ServiceOptions } from './start-service.js';
export { loadSettings, Settings } from './config/settings.js';

// Ports, with the defaults that a team may wrap.
export { PostgresSessionStore, SessionStore, type StoredSession } from './auth/session-store.js';
export { ApprovedAssistants, GrantStore, PostgresGrantStore } from './auth/grant-store.js';
export type { StoredGrant } from './auth/grant-store.js';
export { AssistantGuard, JwtBearerGuard } from './auth/jwt-bearer.guard.js';
export { OpenFeatureRollout, Rollout, SettingsRollout } from './rollout/rollout.js';
export { RateLimitStorage } from './rate-limit/rate-limit-storage.js';
export { EnglishTexts, Texts, type CarText } from './deal-sets/domain/display-texts.js';
export { RequestObserver, type ObservedRequest } from './observability/request-observer.js';
export { MetricsRegistry } from './observability/metrics.js';

// Endpoints of a team.
export { Endpoint } from './endpoint/endpoint.decorator.js';
export { isDealSetsEndpoint, Public } from './endpoint/endpoint-policy.js';
export type { EndpointPolicy, OwnError, ProtocolResponse } from './endpoint/endpoint-policy.js';
export {
  CurrentPrincipal,
  RateLimitRefusal,
  RequestSignal,
  requestSignal,
} from './http/request-context.js';
export { AppError, type ErrorCode } from './kernel/app-error.js';
export { READ_SCOPE, type AssistantPrincipal, type Principal } from './kernel/principal.js';
export { fieldsOf, reachableDtos, type Form } from './redaction/field.js';
export {
  Described,
  NeverTrue,
  ResponseDto,
  Shown,
  UnlessHosted,
  Withheld,
} from './redaction/field.decorators.js';
export { ownField } from './deal-sets/custom-fields.js';
export type { OwnField, OwnFieldRequest, OwnFields } from './deal-sets/custom-fields.js';
export type { RedactionRule } from './deal-sets/redaction-rule.js';

// Protocols of a team.
export { DealSetsApi } from './deal-sets/deal-sets.api.js';
export { DealSetResponse, ListResponse } from './deal-sets/dto/responses.js';

// The database of a team's own modules.
export { ASSISTANT_READS, SESSION_READS } from './database/read-data-source.js';
export { ReadDatabase } from './database/read-database.js';
