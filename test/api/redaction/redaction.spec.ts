import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, [
  'hostile-listings',
  'labels',
  'listings',
  'name-keys',
  'question-tokens',
  'roles-in-use',
  'same-patterns',
]);
