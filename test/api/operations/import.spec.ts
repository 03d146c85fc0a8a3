import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, [
  'bad-files',
  'import-command',
  'import-feed',
  'import-load',
  'import-rejections',
  'import-writers',
]);
