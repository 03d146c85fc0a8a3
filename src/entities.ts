/**
 * The service's tables as TypeORM entities, for a host application's own data sources, reports and
 * relations. Only the migrations create and change the tables: never synchronize the schema from
 * these classes.
 */
export * from './database/entities.js';
export type { CarAnswer, Ending, RowState } from './kernel/price-check-values.js';
