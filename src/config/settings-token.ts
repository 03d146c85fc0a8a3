/**
 * Creates a class that is Nest's token for values whose type follows from a table, so that
 * constructors can inject them by their type. The caller states the type of the values.
 *
 * @param name the name in Nest's messages.
 */
export function tokenOf(name: string): unknown {
  const token = function (): void {
    throw new TypeError(`${name} is a token: inject it`);
  };
  return Object.defineProperty(token, 'name', { value: name });
}
