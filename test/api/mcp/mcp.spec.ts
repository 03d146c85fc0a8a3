import { RUNS_WHOLE_CONTRACT } from '../../setup/host-application.js';
import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['endpoint', 'official-clients']);
if (RUNS_WHOLE_CONTRACT) runSuites(__dirname, ['courtesies', 'faults', 'tools', 'view']);
