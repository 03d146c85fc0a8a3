const IS_FASTIFY = /^(fastify|@fastify\/[^/]+|@nestjs\/platform-fastify)(\/|$)/;

/** Node calls this hook for each import, on its own thread. */
export function resolve(specifier, context, nextResolve) {
  if (!IS_FASTIFY.test(specifier)) return nextResolve(specifier, context);
  const error = new Error(`Cannot find package '${specifier}'`);
  throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
}
