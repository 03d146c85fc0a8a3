import { HOST } from '../../setup/host-application.js';
import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['order-of-checks', 'rate-limit', 'sessions', 'tokens']);
// The other suites are about the standalone application.
if (!HOST) runSuites(__dirname, ['approvals', 'libraries-at-work', 'oauth-metadata']);
