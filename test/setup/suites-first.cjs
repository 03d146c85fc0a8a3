const { readFileSync } = require('node:fs');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Begins with the test files that run the suites of other files. While Jest has no duration of a
 * file, it sorts by the size of the file, and would run these last, when only one worker is busy.
 */
module.exports = class SuitesFirst extends Sequencer {
  /** Keeps the durations of each project in a file, because the projects share one name. */
  _getCachePath(context) {
    return `${super._getCachePath(context)}-${context.config.displayName.name}`;
  }

  sort(tests) {
    const runsUnknownSuites = ({ path, duration }) =>
      duration === undefined && readFileSync(path, 'utf8').includes('runSuites(');
    return super
      .sort(tests)
      .sort((left, right) => runsUnknownSuites(right) - runsUnknownSuites(left));
  }
};
