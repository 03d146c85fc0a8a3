/**
 * The standalone application: the service on Fastify, without a host application. It has its own
 * entry point because only it needs Fastify.
 */
export { ContractFilter } from './http/contract.filter.js';
export { Log, type WriteLine } from './observability/logger.js';
export {
  openService,
  startService,
  type RunningService,
  type ServiceOptions,
} from './start-service.js';
