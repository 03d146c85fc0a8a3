const path = require('node:path');
const { SummaryReporter } = require('@jest/reporters');

const SLOWEST_COUNT = 20;
/** A run with at least this many files takes minutes. */
const LONG_RUN_FILES = 100;

const secondsOf = ({ perfStats: { start, end } }) => (end - start) / 1000;
const fileOf = ({ testFilePath }) => path.relative(process.cwd(), testFilePath);
const projectOf = ({ displayName }) => displayName?.name ?? '';

/**
 * Frames Jest's summary: the first line of `npm test` estimates its duration, and the last lines of
 * a run report the result of each project and what was skipped, with the reason. `SLOWEST_FILES=1`
 * adds the slowest files.
 */
module.exports = class RunReport extends SummaryReporter {
  #isFilteredByName;

  constructor(globalConfig) {
    // On a terminal the failures of a long run are repeated at its end. Piped output has them only
    // once.
    super(globalConfig, process.stdout.isTTY ? {} : { summaryThreshold: Number.MAX_SAFE_INTEGER });
    this.#isFilteredByName = Boolean(globalConfig.testNamePattern);
  }

  onRunStart(results, options) {
    const count = results.numTotalTestSuites;
    // npm names the script that it runs.
    if (process.env.npm_lifecycle_event === 'test' && count >= LONG_RUN_FILES)
      this.#write([`${count} test files: about four minutes on two cores.`]);
    super.onRunStart(results, options);
  }

  onRunComplete(contexts, results) {
    super.onRunComplete(contexts, results);
    const { testResults } = results;
    if (testResults.length >= LONG_RUN_FILES) this.#write(projectLines(testResults));
    if (process.env.SLOWEST_FILES) this.#write(slowestLines(testResults));
    // A filter by name skips everything else.
    if (!this.#isFilteredByName) this.#write(skippedLines(testResults));
  }

  #write(lines) {
    for (const line of lines) process.stderr.write(`${line}\n`);
  }
};

function projectLines(testResults) {
  const projects = [...new Set(testResults.map(projectOf))].sort();
  return projects.map((project) => {
    const files = testResults.filter((file) => projectOf(file) === project);
    const sum = (valueOf) => files.reduce((total, file) => total + valueOf(file), 0);
    const failed = sum(({ numFailingTests }) => numFailingTests);
    return `${project}: ${files.length} files, ${sum(({ numPassingTests }) => numPassingTests)} tests passed, ${failed} failed`;
  });
}

function slowestLines(testResults) {
  const files = [...testResults].sort((left, right) => secondsOf(right) - secondsOf(left));
  const total = files.reduce((sum, file) => sum + secondsOf(file), 0);
  return [
    `The slowest of ${files.length} files, which took ${total.toFixed(0)} s one after the other:`,
    ...files
      .slice(0, SLOWEST_COUNT)
      .map(
        (file) => `${secondsOf(file).toFixed(1).padStart(6)} s  ${projectOf(file)} ${fileOf(file)}`,
      ),
  ];
}

/** A skipped suite has the reason in its title (`describeWith`). */
function skippedLines(testResults) {
  const counts = new Map();
  for (const file of testResults) {
    for (const { status, ancestorTitles, title } of file.testResults) {
      if (status !== 'pending') continue;
      const reason = ancestorTitles.find((ancestor) => ancestor.includes('(skipped: '));
      const name = `${fileOf(file)}: ${reason ?? ancestorTitles[0] ?? title}`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  if (counts.size === 0) return [];
  return ['Did not run:', ...[...counts].map(([name, count]) => `  ${name}, tests: ${count}`)];
}
