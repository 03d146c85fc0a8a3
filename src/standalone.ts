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
export { ContractFilter } from './http/contract.filter.js';
export { JsonLogger } from './observability/json-logger.js';
export {
  openService,
  startService,
  type RunningService,
  type ServiceOptions,
} from './start-service.js';
