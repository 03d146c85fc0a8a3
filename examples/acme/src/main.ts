import { loadSettings, startService } from 'deal-sets';
import { extensions } from './extensions.js';

const { SESSIONS_URL = 'http://127.0.0.1:4000' } = process.env;
await startService(loadSettings(process.env), extensions(SESSIONS_URL));
