const { createRequire } = require('node:module');
const path = require('node:path');
const { compileFunction } = require('node:vm');
const { default: Runtime } = require('jest-runtime');

/** What Node's `require` returned, by the folder of the file that requires it and the required name. */
const loaded = new Map();

/**
 * Loads libraries as Node does: once for each worker, without a transform and outside Jest's
 * registry of modules, which is made anew for each test file. To load Nest, TypeORM and Fastify again
 * for each file costs two seconds of processor time. The files of this repository are still
 * compiled and evaluated for each test file. Libraries and sources share one realm
 * (`one-realm-environment.cjs`), so that `instanceof` holds between them.
 */
module.exports = class NativeLibrariesRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const { executor } = this;
    executor.compile = (source, filename) =>
      compileFunction(source, executor.injectedModuleParameters, { filename });
  }

  requireModule(from, name, options, isRequireActual) {
    if (options?.isInternalModule || !name || !this.#isLibrary(from, name))
      return super.requireModule(from, name, options, isRequireActual);
    const key = `${path.dirname(from)}\0${name}`;
    if (!loaded.has(key)) loaded.set(key, createRequire(from)(name));
    return loaded.get(key);
  }

  /** The packages of this repository (`@deal-sets/*`, `#*`) are sources, too. */
  #isLibrary(from, name) {
    if (/^(\.|#|node:|@deal-sets\/)/.test(name) || this._resolution.isCoreModule(name))
      return false;
    // A setup file is named by its path.
    return !path.isAbsolute(name) || name.includes(`${path.sep}node_modules${path.sep}`);
  }
};
