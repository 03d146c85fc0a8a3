/** The error of a command that cannot do its work. The message is one line that states the fix. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  /** The exit code of the process. */
  readonly exitCode: number = 1;
}

/** Returns the error of a command about a buyer who is not in the database. */
export function unknownBuyer(id: string): CommandError {
  return new CommandError(`There is no buyer ${id}: import one, or check the id.`);
}
