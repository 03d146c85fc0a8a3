import { readFileSync } from 'node:fs';
import semver from 'semver';

/** One level up from here, in the sources as in the build. */
const MANIFEST = new URL('../package.json', import.meta.url);

/** The version of this package, as its manifest says. */
export function packageVersion(): string {
  const manifest = JSON.parse(readFileSync(MANIFEST, 'utf8')) as { readonly version: string };
  return manifest.version;
}

/**
 * Compares the range of versions that a team's extensions were made for with this version of the package.
 *
 * @throws {Error} that names both, when the range is none or does not hold this version.
 */
export function assertCompatible(range: string | undefined, version = packageVersion()): void {
  if (range === undefined) return;
  if (semver.validRange(range) === null) {
    throw new Error(`compatibility: expected a range of versions like ^2.0, not "${range}"`);
  }
  if (semver.satisfies(version, range, { includePrerelease: true })) return;
  throw new Error(
    `These extensions were made for deal-sets ${range}, and this is ${version}: install a version in that range, or read CHANGELOG.md and change "compatibility"`,
  );
}
