export {
  EmbeddedPostgres,
  EmbeddedPostgresError,
  type EmbeddedPostgresOptions,
} from './embedded-postgres.js';
export { freePort } from './free-port.js';
