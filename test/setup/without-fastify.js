import { register } from 'node:module';

// For `--import`: imports of Fastify fail as they do where it is not installed.
register('./without-fastify-hooks.js', import.meta.url);
