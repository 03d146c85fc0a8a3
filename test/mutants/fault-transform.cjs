/**
 * The usual transform on source text in which the replacements of the environment variable
 * PLANTED_FAULT are made (see `faults.ts`). The working tree is not touched. `jest.config.js` uses
 * it in runs with a fault only.
 *
 * The cache key is that of the replaced text, so a run with a fault and one without never share a
 * file.
 */
const path = require('node:path');
const sharedTransform = require('../setup/shared-transform.cjs');

const replacements = JSON.parse(process.env.PLANTED_FAULT ?? '[]');

/** As `replaceOnce` in `test/setup/planted-fault.ts`, which a transform cannot load. */
function withFault(text, file, { config }) {
  const where = path.relative(config.rootDir, file).replaceAll(path.sep, '/');
  return replacements
    .filter((replacement) => replacement.where === where)
    .reduce((replaced, { from, to }) => {
      const parts = replaced.split(from);
      if (parts.length !== 2)
        throw new Error(
          `fault no longer applies: ${where} holds this text ${parts.length - 1} times: ${from}`,
        );
      return parts.join(to);
    }, text);
}

module.exports = {
  createTransformer(options) {
    const swc = sharedTransform.createTransformer(options);
    return {
      ...swc,
      getCacheKey: (text, file, rest) => swc.getCacheKey(withFault(text, file, rest), file, rest),
      process: (text, file, rest) => swc.process(withFault(text, file, rest), file, rest),
      processAsync: (text, file, rest) => swc.processAsync(withFault(text, file, rest), file, rest),
    };
  },
};
