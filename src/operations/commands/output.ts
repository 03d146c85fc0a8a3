/** Writes a line for people to standard error. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes a line of the command's result to standard output. */
export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Formats a number for people: `12,345`. */
export function formatCount(value: number): string {
  return value.toLocaleString('en-US');
}

/** Formats a number with its noun: `1 buyer`, `2 buyers`. */
export function countOf(value: number, singular: string, plural = `${singular}s`): string {
  return `${formatCount(value)} ${value === 1 ? singular : plural}`;
}
