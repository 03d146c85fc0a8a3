import { readFileSync } from 'node:fs';

/** Two levels up from here, in the sources as in the build. */
const MANIFEST = new URL('../../package.json', import.meta.url);

/** The version of this package, as its manifest says. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  return manifest.version;
}
