/**
 * The request target as the router should see it. The router refuses a path with broken percent-encoding
 * before any route is asked; but `/deal-sets/%FF` is the get endpoint with an id that is none, and has to
 * meet that endpoint's checks in their order. So a segment that does not decode is taken literally.
 */
export function routableUrl(url: string): string {
  if (!url.includes('%')) return url;
  const pathEnd = url.search(/[?#]/);
  const path = pathEnd === -1 ? url : url.slice(0, pathEnd);
  if (isDecodable(path)) return url;
  const segments = path
    .split('/')
    .map((segment) => (isDecodable(segment) ? segment : segment.replaceAll('%', '%25')));
  return segments.join('/') + url.slice(path.length);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
