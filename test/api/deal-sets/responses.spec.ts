import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['every-response', 'plain-list', 'result']);
