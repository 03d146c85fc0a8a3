const IS_FASTIFY = /^(fastify|@fastify\/[^/]+|@nestjs\/platform-fastify)(\/|$)/;

/** Node's hook that is called for each import, on a thread of its own. */
export function resolve(specifier, context, nextResolve) {
  if (!IS_FASTIFY.test(specifier)) return nextResolve(specifier, context);
  const error = new Error(`Cannot find package '${specifier}'`);
  throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
}
