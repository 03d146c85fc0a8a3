import { HOST, RUNS_WHOLE_CONTRACT } from '../../setup/host-application.js';
import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['authorization-header', 'order-of-checks', 'rate-limit', 'sessions']);
// Which tokens are valid does not depend on the application.
if (RUNS_WHOLE_CONTRACT) runSuites(__dirname, ['tokens']);
// The other suites are about the standalone application.
if (!HOST) runSuites(__dirname, ['approvals', 'oauth-metadata']);
