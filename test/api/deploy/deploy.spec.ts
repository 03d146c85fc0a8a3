import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['from-nothing', 'monitoring', 'nginx']);
