/* eslint-disable no-console -- the library prints its warnings to the console */

/**
 * The warnings of `oidc-provider` that do not apply here and are suppressed. Import this file
 * before the library. All other warnings are printed.
 */
const KNOWN = [
  // Every maintained version of the library prints this on Node 20. The features that the demo uses
  // work on Node 20 and are tested there.
  'oidc-provider WARNING: Unsupported runtime.',
  // Fastify parses the bodies, as for every route.
  'oidc-provider WARNING: already parsed request body detected',
];

const { warn } = console;
console.warn = (...words: unknown[]): void => {
  if (!KNOWN.some((known) => String(words[0]).includes(known))) warn(...words);
};
