/** A command cannot do its work; the message is one line that names the way out. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
}
