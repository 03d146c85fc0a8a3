import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['courtesies', 'endpoint', 'faults', 'official-clients', 'tools', 'view']);
