import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['api-types', 'python-example', 'readme', 'real-service']);
