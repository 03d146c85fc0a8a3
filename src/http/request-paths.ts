/** Prefixes that the service handles entirely, so that an unknown path below them gets its 404. */
const OWN_PREFIXES = ['/api/v1', '/health'];

/**
 * Which paths the service handles inside a host application: its own prefixes, and the routes that a team
 * declares elsewhere.
 *
 * @param routes patterns of all routes, parameters as `:name`.
 */
export function answeredPaths(routes: readonly string[]): (target: string) => boolean {
  const own = routes.filter((route) => !isBelowPrefix(route)).map(patternOf);
  const isOwn = (path: string): boolean =>
    isBelowPrefix(path) || own.some((pattern) => pattern.test(path));
  return (target) => {
    const path = target.replace(AUTHORITY, '').split(/[?#]/, 1)[0] ?? '';
    return isOwn(path) || (path.includes('%') && isOwn(decoded(path)));
  };
}

/** The beginning of an absolute target (RFC 9112, section 3.2.2), which the router leaves out too. */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/** The path as the router compares it: letters may be escaped, an escaped slash is no slash. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

function isBelowPrefix(path: string): boolean {
  return OWN_PREFIXES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));
}

function patternOf(route: string): RegExp {
  const segments = route
    .split('/')
    .map((segment) =>
      segment.startsWith(':') ? '[^/]+' : segment.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'),
    );
  return new RegExp(`^${segments.join('/')}$`);
}
