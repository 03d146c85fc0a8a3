import { runSuites } from '../setup/run-suites.js';

runSuites(__dirname, ['pgbouncer', 'read-database', 'redis', 'tls']);
