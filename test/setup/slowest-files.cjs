/** Prints where the time of a run went: its twenty slowest files. */
module.exports = class SlowestFiles {
  onRunComplete(_contexts, { testResults }) {
    if (testResults.length < 20) return;
    const files = testResults
      .map(({ testFilePath, displayName, perfStats: { start, end } }) => ({
        name: `${displayName?.name ?? ''} ${testFilePath.replace(`${process.cwd()}/`, '')}`,
        seconds: (end - start) / 1000,
      }))
      .sort((one, other) => other.seconds - one.seconds);
    const total = files.reduce((sum, { seconds }) => sum + seconds, 0);
    console.log(
      `\nThe slowest of ${files.length} files, which took ${total.toFixed(0)} s one after the other:`,
    );
    for (const { name, seconds } of files.slice(0, 20)) {
      console.log(`${seconds.toFixed(1).padStart(6)} s  ${name}`);
    }
  }
};
