import { readFileSync } from 'node:fs';

const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version of the package, from its manifest. */
export const PACKAGE_VERSION = (
  JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string }
).version;
