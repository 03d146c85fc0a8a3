const swcJest = require('@swc/jest');

/**
 * `@swc/jest` with one cache for all projects of `jest.config.js`. Jest's own key of a compiled
 * file includes the whole configuration of the project, although only the options of swc affect it.
 * Each project would therefore compile all dependencies again after `npm ci`. The folder of the
 * project is part of the key, because stack traces contain the paths of the checkout that compiled
 * the file.
 */
module.exports = {
  createTransformer(options) {
    const swc = swcJest.createTransformer(options);
    return {
      ...swc,
      getCacheKey: (text, file, rest) =>
        swc.getCacheKey(text, file, {
          ...rest,
          configString: JSON.stringify([rest.config.rootDir, options]),
        }),
    };
  },
};
