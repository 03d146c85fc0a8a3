/**
 * The health indicator for `@nestjs/terminus`, an optional peer dependency: only applications that
 * import this entry point load it.
 */
export { DealSetsHealthIndicator } from './health/deal-sets.health-indicator.js';
