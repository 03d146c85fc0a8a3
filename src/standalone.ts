import type { ExceptionFilter, Type } from '@nestjs/common';
import { ContractFilter as Filter } from './http/errors/contract.filter.js';

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

/** The global exception filter of the standalone application, for filters that extend its work. */
export const ContractFilter: Type<ExceptionFilter> = Filter;
