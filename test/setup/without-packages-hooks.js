let missing;

/** Node calls this once, with the pattern of the names. */
export function initialize(pattern) {
  missing = new RegExp(pattern);
}

/** Node calls this hook for each import, on its own thread. */
export function resolve(specifier, context, nextResolve) {
  if (!missing.test(specifier)) return nextResolve(specifier, context);
  const error = new Error(`Cannot find package '${specifier}'`);
  throw Object.assign(error, { code: 'ERR_MODULE_NOT_FOUND' });
}
