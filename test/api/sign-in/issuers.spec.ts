import { runSuites } from '../../setup/run-suites.js';

runSuites(__dirname, ['common-issuers', 'issuer-discovery', 'issuer-key-set', 'own-authenticator']);
