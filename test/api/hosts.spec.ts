import { runSuites } from '../setup/run-suites.js';

runSuites(__dirname, [
  'host-auth',
  'host-boot',
  'host-cache',
  'host-errors',
  'host-log',
  'host-openapi',
  'host-redaction',
  'host-settings',
]);
