const { DefaultReporter } = require('@jest/reporters');

/**
 * Jest's own progress on a terminal. The console output of a file is shown only when one of its
 * tests failed.
 */
module.exports = class TerminalReporter extends DefaultReporter {
  printTestFileHeader(testPath, config, result) {
    const hasFailed = result.numFailingTests > 0 || result.testExecError;
    super.printTestFileHeader(
      testPath,
      config,
      hasFailed ? result : { ...result, console: undefined },
    );
  }
};
