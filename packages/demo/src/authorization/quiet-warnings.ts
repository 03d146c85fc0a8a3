/* eslint-disable no-console -- where the library writes */

/**
 * Warnings of `oidc-provider` that mean nothing here; this file is imported before it. All others
 * are written.
 */
const KNOWN = [
  // On Node 20. No maintained version lacks it; what the demo uses works there, and is tested
  // there.
  'oidc-provider WARNING: Unsupported runtime.',
  // Fastify reads the bodies, as it does for every route.
  'oidc-provider WARNING: already parsed request body detected',
];

const { warn } = console;
console.warn = (...words: unknown[]): void => {
  if (!KNOWN.some((known) => String(words[0]).includes(known))) warn(...words);
};
