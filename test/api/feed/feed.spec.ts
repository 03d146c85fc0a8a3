import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['feed-changes', 'metrics', 'read-model', 'rebuild', 'restamp']);
