const path = require('node:path');

const PROGRESS_EVERY_MS = 30_000;

/**
 * For output without a reader, such as a continuous integration log: it prints failures as they
 * occur, and a progress line occasionally.
 */
module.exports = class PipedReporter {
  #startedAt = Date.now();
  #reportedAt = Date.now();

  onTestFileResult(test, result, aggregated) {
    if (result.failureMessage) this.#reportFailure(test, result);
    if (Date.now() - this.#reportedAt < PROGRESS_EVERY_MS) return;
    this.#reportedAt = Date.now();
    const seconds = Math.round((this.#reportedAt - this.#startedAt) / 1000);
    const { numPassedTestSuites, numFailedTestSuites, numPendingTestSuites } = aggregated;
    const ended = numPassedTestSuites + numFailedTestSuites + numPendingTestSuites;
    const failed = aggregated.numFailedTests > 0 ? `, ${aggregated.numFailedTests} failed` : '';
    process.stderr.write(
      `${seconds} s: ${ended} of ${aggregated.numTotalTestSuites} files, ` +
        `${aggregated.numPassedTests} tests passed${failed}\n`,
    );
  }

  #reportFailure({ path: file, context }, result) {
    const project = context.config.displayName?.name ?? '';
    const name = path.relative(context.config.rootDir, file);
    const written = (result.console ?? []).map(({ message }) => `${message}\n`).join('');
    process.stderr.write(`FAIL ${project} ${name}\n${result.failureMessage}\n${written}`);
  }
};
