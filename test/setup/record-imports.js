import { register } from 'node:module';

// For `--import`: writes one line to standard output for each ES module that the process loads.
register('./record-imports-hooks.js', import.meta.url);
