export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
export { freePort } from './free-port.js';
export { EmbeddedPostgresError } from './programs.js';
