import { runSuites } from '../setup/run-suites.js';

runSuites(__dirname, [
  'changed-password',
  'database-server',
  'partitioned',
  'replicas',
  'writer-conflicts',
]);
