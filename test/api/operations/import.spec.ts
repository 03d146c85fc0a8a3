import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['import-command', 'import-feed', 'import-load', 'import-rejections']);
