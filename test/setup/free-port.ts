export { freePort } from '../../src/database/embedded/free-port.js';
