/**
 * The service's tables as TypeORM entities, for a host application's own data sources, reports and
 * relations. The migrations alone make and change the tables: never synchronise them from these
 * classes.
 */
export * from './database/entities.js';
export type { CarAnswer, Ending } from './kernel/price-check-values.js';
