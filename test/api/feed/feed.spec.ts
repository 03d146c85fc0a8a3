import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, [
  'dealership-changes',
  'feed-changes',
  'metrics',
  'read-model',
  'rebuild',
  'rebuild-restamp',
]);
