import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['changes', 'paging']);
