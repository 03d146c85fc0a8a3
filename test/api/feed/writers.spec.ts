import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['between-statements', 'many-buyers', 'open-writers', 'property', 'replicas']);
