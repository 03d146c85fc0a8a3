export { freePort } from '../../src/embedded-postgres/free-port.js';
