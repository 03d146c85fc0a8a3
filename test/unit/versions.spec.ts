import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}
const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(path.join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;

describe('the packages of one release', () => {
  const { version } = manifestOf('.');

  it.each(readdirSync(path.join(ROOT, 'packages')))('%s has the version of the service', (name) => {
    const manifest = manifestOf(path.join('packages', name));
    const own = Object.entries(manifest.dependencies ?? {}).filter(
      ([dependency, range]) => dependency.startsWith('@deal-sets/') && !range.startsWith('file:'),
    );
    expect(manifest.version).toBe(version);
    expect(own).toEqual(own.map(([dependency]) => [dependency, version]));
  });

  const examples = readdirSync(path.join(ROOT, 'examples')).filter((name) =>
    existsSync(path.join(ROOT, 'examples', name, 'package.json')),
  );
  it.each(examples)('are what the example %s installs', (name) => {
    const { dependencies, devDependencies } = manifestOf(path.join('examples', name));
    const own = Object.entries({ ...dependencies, ...devDependencies }).filter(([dependency]) =>
      dependency.startsWith('@deal-sets/'),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(own).toEqual(own.map(([dependency]) => [dependency, `^${version}`]));
  });
});
