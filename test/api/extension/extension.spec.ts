import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, [
  'custom-fields',
  'deal-sets-api',
  'default-providers',
  'documented-rule',
  'first-hour',
  'host-repositories',
  'own-endpoints',
  'redaction-rules',
  'replaced-ports',
  'test-kit',
  'untrusted-providers',
]);
