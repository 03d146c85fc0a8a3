import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['listings', 'renaming', 'roles-in-use', 'texts-while-hidden']);
