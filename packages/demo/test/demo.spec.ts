import { runSuites } from '../../../test/setup/run-suites.js';

runSuites(__dirname, [
  'approval',
  'curl-guide',
  'earlier-database',
  'official-clients',
  'page-server',
  'proof',
  'public-fetch',
]);
