/** Writes a line for the person who runs the command, to standard error. */
export function printNote(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** Writes a line of the command's result, to standard output. */
export function printResult(line: string): void {
  process.stdout.write(`${line}\n`);
}
