import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['install', 'monitoring', 'nginx', 'systemd']);
