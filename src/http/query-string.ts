/**
 * Parses a query string as the URL standard does: `+` is a space, broken escapes stay text, a repeated name
 * is a list. Fastify's own parser differs in these.
 */
export function parseQueryString(text: string): Readonly<Record<string, string | string[]>> {
  const query = Object.create(null) as Record<string, string | string[]>;
  if (text === '') return query;
  for (const [name, value] of new URLSearchParams(text)) {
    const before = query[name];
    query[name] = before === undefined ? value : [before, value].flat();
  }
  return query;
}
