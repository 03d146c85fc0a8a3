const { DefaultReporter } = require('@jest/reporters');

/**
 * Jest's own progress on a terminal. The console output of a file is shown only when one of its
 * tests failed.
 */
module.exports = class TerminalReporter extends DefaultReporter {
  /**
   * Leaves tests out of the progress until their file has ended. In a run of several projects, Jest
   * attributes them to one project and would count them again when the file of another one ends.
   */
  onTestCaseResult() {}

  printTestFileHeader(testPath, config, result) {
    const hasFailed = result.numFailingTests > 0 || result.testExecError;
    super.printTestFileHeader(
      testPath,
      config,
      hasFailed ? result : { ...result, console: undefined },
    );
  }
};
