import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, [
  'constraints',
  'buyer-commands',
  'commands',
  'export',
  'first-response',
  'migrations',
  'reading-roles',
  'session-settings',
]);
