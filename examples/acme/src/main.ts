import { startService } from '@deal-sets/service/standalone';
import { options } from './options.js';

const { SESSIONS_URL = 'http://127.0.0.1:4000', COUNTERS_URL } = process.env;
await startService(options(SESSIONS_URL, COUNTERS_URL));
