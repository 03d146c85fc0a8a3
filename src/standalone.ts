/**
 * The standalone application: the service on Fastify, without a host application. It has its own
 * entry point because only it needs Fastify.
 */
export {
  loadServiceSettings,
  type ServerOptions,
  type ServerSettings,
  type ServiceSettings,
} from './config/service-settings.js';
export type { SERVER_SETTINGS } from './config/settings-table.js';
export type { ApiContact, LogLevel } from './config/settings.js';
export { JsonLogger } from './observability/json-logger.js';
export {
  openService,
  startService,
  type RunningService,
  type ServiceOptions,
} from './standalone/start-service.js';

// Routes without sign-in and the scope of the two reads, for applications that add pages to the
// service, such as the demo.
export { Public } from './endpoint/endpoint-policy.js';
export { READ_SCOPE } from './kernel/principal.js';

// The global exception filter of the standalone application, for filters that extend its work.
export { EnvelopeFilter } from './http/errors/envelope.filter.js';
