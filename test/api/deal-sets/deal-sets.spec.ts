import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['agreement', 'gateway', 'openapi', 'start-report']);
