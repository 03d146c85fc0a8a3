/* eslint-disable no-console -- where the library writes */

/**
 * Suppresses the warnings of `oidc-provider` that have no meaning here. Import this file before the
 * library. All other warnings are printed.
 */
const KNOWN = [
  // Printed on Node 20. No maintained version of the library leaves it out. The features that the
  // demo uses work on Node 20 and are tested there.
  'oidc-provider WARNING: Unsupported runtime.',
  // Fastify parses the bodies, as for every route.
  'oidc-provider WARNING: already parsed request body detected',
];

const { warn } = console;
console.warn = (...words: unknown[]): void => {
  if (!KNOWN.some((known) => String(words[0]).includes(known))) warn(...words);
};
