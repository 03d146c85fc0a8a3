/** A line for the person, apart from what the command produces. */
export function say(line: string): void {
  process.stderr.write(`${line}\n`);
}

/** What the command produces. */
export function produce(line: string): void {
  process.stdout.write(`${line}\n`);
}
