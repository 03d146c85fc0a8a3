/**
 * The standalone application: the service without a host, on Fastify. It is an entry point of its
 * own, because it is the only one that needs Fastify.
 */
export { Log, type WriteLine } from './observability/logger.js';
export {
  openService,
  startService,
  type RunningService,
  type ServiceOptions,
} from './start-service.js';
