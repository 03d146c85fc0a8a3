/** The root of a web address with the slash of its empty path. */
const ROOT_WITH_SLASH = /^(https?:\/\/[^/?#]+)\/$/;

/**
 * Returns the name of an OAuth resource (RFC 8707) in the one form that the service compares.
 * `https://host/` becomes `https://host`, because both are the same address (RFC 3986, section
 * 6.2.3). Every other name stays as it is.
 */
export function resourceName(name: string): string {
  return name.replace(ROOT_WITH_SLASH, '$1');
}

/**
 * Returns the spellings of a resource, for libraries that compare the text.
 *
 * @param name a name that `resourceName` has returned.
 */
export function spellingsOf(name: string): readonly string[] {
  return [name, `${name}/`].filter((spelling) => resourceName(spelling) === name);
}
