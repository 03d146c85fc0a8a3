/**
 * Rejects unknown options, because types do not protect callers in JavaScript.
 *
 * @param owner the name of the module that takes the options, for the message.
 * @throws {Error} naming the unknown options.
 */
export function assertKnownOptions(owner: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new Error(`${owner}: unknown option ${unknown.join(', ')}: correct or remove it`);
}
