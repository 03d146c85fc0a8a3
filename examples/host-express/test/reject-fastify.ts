import { register } from 'node:module';

/**
 * Loaded with `--import`, makes every import of Fastify fail, as if Fastify were not installed.
 * `@deal-sets/testing` needs Fastify, so that the tests cannot run without it.
 */
const hooks = `export function resolve(specifier, context, next) {
  if (/^(fastify|@fastify\\/.*|@nestjs\\/platform-fastify)$/.test(specifier)) {
    throw new Error(specifier + ' is not installed');
  }
  return next(specifier, context);
}`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);
