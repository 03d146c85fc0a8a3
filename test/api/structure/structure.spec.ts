import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['injectable-services', 'module-diagram']);
