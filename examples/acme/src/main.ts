import { startService } from '@deal-sets/service/standalone';
import { options } from './options.js';

const { WEBSITE_URL = 'http://127.0.0.1:4000', COUNTERS_URL } = process.env;
await startService(options({ websiteUrl: WEBSITE_URL, redisUrl: COUNTERS_URL }));
