/**
 * Creates a class that serves as an injection token, so that constructors inject a value whose type
 * is derived from a table. The caller states the type of the value.
 *
 * @param name the name in Nest's messages.
 */
export function tokenOf(name: string): unknown {
  const token = function (): void {
    throw new TypeError(`${name} is a token: inject it`);
  };
  return Object.defineProperty(token, 'name', { value: name });
}
